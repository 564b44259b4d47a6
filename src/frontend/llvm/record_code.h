// The code that writes one record: inlined, about ten instructions and one store per field (abi.h: ThreadState).
//
//   state = __racecast_thread; at = state->cur;
//   if (at + size > state->end) at = __racecast_full(size);     // rare, out of line
//   *at = id; fields ...; state->cur = at + size (release)
//
// An address is stored as 8 bytes, of which the next field overwrites the upper two. The id of a conditional branch is
// its first id, plus one where the condition is false. A switch is done twice: the first one finds the number of the
// target, the record is written, the second one jumps by the number. (Tried in thought: a record on every outgoing
// edge, which costs as many copies of the code as there are cases, and a second record.)
#pragma once

#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <cstdint>

#include "frontend/llvm/plan.h"

namespace racecast::frontend {

class RecordCode {
 public:
  RecordCode(llvm::Module& module, llvm::GlobalVariable& ids);

  // Inserts the code of `record`, whose ids start at `first_id`. Splits blocks; record.before stays valid unless it is
  // a switch, which is replaced.
  void write(const Record& record, std::uint32_t first_id);

 private:
  llvm::Value* id(llvm::IRBuilder<>& builder, std::uint32_t first_id, llvm::Value* slot) const;
  llvm::Value* reserve(llvm::IRBuilder<>& builder, llvm::Value* state, std::uint32_t size);
  llvm::Function* full_function();

  llvm::Module& module_;
  llvm::GlobalVariable& ids_;
  llvm::GlobalVariable* thread_ = nullptr;
  llvm::Function* full_ = nullptr;
};

}  // namespace racecast::frontend
