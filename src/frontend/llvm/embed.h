// What an object file carries for the runtime and the merger: the `ids` array, whose addresses are the ids of records;
// the packed model with the shapes; the addresses of globals and functions in the run; and a constructor that hands all
// of it to the runtime (abi.h: Module).
//
// The linker and the loader do the rest: nothing has to be merged or numbered, and dlopen works.
#pragma once

#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>

#include <cstdint>

#include "abi/model_blob.h"
#include "frontend/llvm/lower/lower.h"

namespace racecast::frontend {

// Does Module::globals hold the address of this global? Not of thread-locals, of LLVM's own ones, nor of local symbols
// in a comdat group, which another file's copy may replace (the linker refuses references to them from outside of the
// group).
bool has_table_address(const llvm::GlobalVariable& global);

// An array of `count` bytes, never touched.
llvm::GlobalVariable* make_ids(llvm::Module& module, std::uint32_t count);

// Adds the model, the tables and the constructor. `model.program` is that of `lowered`, or made of it; `ids` has one
// byte for each slot of its shapes.
void embed(llvm::Module& module, const Lowered& lowered, const abi::Model& model, llvm::GlobalVariable& ids);

}  // namespace racecast::frontend
