// Lowers a module of LLVM IR to program/: what the compiler plugin embeds, and what every analysis of a recorded run
// reads.
//
// It runs after the optimiser and before anything is inserted. Nothing is guessed: what cannot be lowered exactly is
// Opaque, and its result is recorded (`recorded` below) or unknown.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>

#include <cstdint>

#include "program/program.h"

namespace llvm {
class Function;
class GlobalVariable;
class Instruction;
class Module;
}  // namespace llvm

namespace racecast::frontend {

struct Lowered {
  program::Program program;  // numbered, obeys broken_rule()
  // The model's instruction (InstrId) for an IR instruction that can record something: loads and stores (Load, Store,
  // or Opaque for wide types), atomics, calls and invokes (Call; an invoke's is followed by Opaque "unwound" and
  // Branch, targets {unwind, normal}), memory intrinsics (Opaque), allocas (StackAlloc), branches and switches,
  // returns, and all that is Opaque.
  llvm::DenseMap<const llvm::Instruction*, std::uint32_t> instr;
  // Instructions whose result the model cannot compute, fits 64 bits and is used: the result is to be recorded as a
  // Value. Intrinsics and inline assembly are among them, calls of functions are not: who instruments knows which of
  // these leave the model. A load among them reads a constant: it is no access.
  llvm::DenseSet<const llvm::Instruction*> recorded;
  // Loads, stores and allocas that no other thread can reach, loads of constants: in the model (`local`), not recorded.
  llvm::DenseSet<const llvm::Instruction*> local;
  llvm::DenseMap<const llvm::Function*, std::uint32_t> functions;      // FunctionId; declared ones too
  llvm::DenseMap<const llvm::GlobalVariable*, std::uint32_t> globals;  // GlobalId
};

// `module` is not changed. Allocas that can be registers must be registers already.
Lowered lower(const llvm::Module& module);

}  // namespace racecast::frontend
