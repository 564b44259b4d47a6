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

// The id with this number in the module, as 32 bits; plus `slot` where that is not null.
llvm::Value* id_value(llvm::IRBuilder<>& builder, llvm::GlobalVariable& ids, std::uint32_t number,
                      llvm::Value* slot = nullptr);

// The bytes of [value] of an item that has some, as an integer.
llvm::Value* item_value(llvm::IRBuilder<>& builder, const abi::Item& item, const Field& field);

// What a Frame item holds.
llvm::Value* frame_address(llvm::IRBuilder<>& builder);

class RecordCode {
 public:
  RecordCode(llvm::Module& module, llvm::GlobalVariable& ids);

  // Inserts the code of `record`, whose ids start at `first_id`. Splits blocks; record.before stays valid unless it is
  // a switch, which is replaced.
  void write(const Record& record, std::uint32_t first_id);

 private:
  llvm::Value* reserve(llvm::IRBuilder<>& builder, llvm::Value* state, std::uint32_t size);
  llvm::Function* full_function();

  llvm::Module& module_;
  llvm::GlobalVariable& ids_;
  llvm::GlobalVariable* thread_ = nullptr;
  llvm::Function* full_ = nullptr;
};

}  // namespace racecast::frontend
