// Hooks around atomic instructions and fences. The instruction stays as it is; the runtime makes it and its stamp one
// step (abi.h: __racecast_atomic_begin and what follows it).
#pragma once

#include <llvm/IR/Module.h>

namespace racecast::frontend {

// An atomic load, store, read-modify-write or compare-and-swap, or a fence between threads.
bool is_atomic_step(const llvm::Instruction& instruction);

// `instruction` is one of these. Splits no block.
void add_atomic_hooks(llvm::Module& module, llvm::Instruction& instruction);

}  // namespace racecast::frontend
