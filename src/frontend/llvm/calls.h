// Hooks around calls that leave the instrumented code of this module (call_kind.h).
//
// - Known: after the call, __racecast_effect with the row of the table, where it has effects (and unless the program
// has a
//   function with hooks of that name). What is sent to others is read before the call: they may get it, and write
//   there, before it returns.
// - Outside, Indirect, Assembly: __racecast_missing_begin before and __racecast_missing_end after, where the callee has
// no
//   hooks. A call that is left by an exception has no end of its own: whoever catches it tells (border_code.h).
// - Either, where its row names state outside of memory: __racecast_state_begin right before the call and
//   __racecast_state_end right after it, inside of the section of missing code, where there is one. What is read of
//   state is recorded before what the call gives back.
//
// Whether the callee has hooks: another file's function has the weak symbol `__racecast_has.NAME`, whose address is
// null if nobody defines it. An indirect callee has a mark in the 8 bytes before its entry (marks.h). clang's
// -fsanitize=function looks there too.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <utility>
#include <vector>

#include "abi/abi.h"
#include "frontend/llvm/call_kind.h"

namespace racecast::frontend {

class CallHooks {
 public:
  CallHooks(llvm::Module& module, const CallContext& context) : module_(module), context_(context) {}

  // Inserts what `call` needs right before and right after it. Splits blocks.
  void add(llvm::CallBase& call);

 private:
  void add_effects(llvm::CallBase& call);
  enum class When { Before, After };
  void add_effects(llvm::CallBase& call, const program::LibraryFunction& function, When when);
  void add_missing(llvm::CallBase& call, CallKind kind);
  void add_state(llvm::CallBase& call);
  bool orders_everything(const llvm::CallBase& call, CallKind kind) const;
  llvm::Value* is_missing(llvm::IRBuilder<>& builder, llvm::CallBase& call, CallKind kind);
  llvm::Value* has_no_hooks(llvm::IRBuilder<>& builder, const llvm::GlobalValue& callee);
  llvm::Value* has_no_mark(llvm::IRBuilder<>& builder, llvm::Value* callee);
  llvm::AllocaInst* scratch(llvm::Function& function, std::size_t words);
  llvm::AllocaInst* state_call(llvm::Function& function, std::size_t arguments);
  llvm::GlobalVariable* state_row(const llvm::GlobalValue& callee, const program::LibraryFunction& function,
                                  const std::vector<abi::StateEffect>& effects, bool result_is_used);
  llvm::GlobalVariable* row(const llvm::GlobalValue& callee, const program::LibraryFunction& function,
                            const std::vector<program::MemoryEffect>& effects, When when);

  llvm::Module& module_;
  const CallContext& context_;
  llvm::DenseMap<const llvm::Function*, llvm::AllocaInst*> scratch_;      // for arguments of hooks, as large as needed
  llvm::DenseMap<const llvm::Function*, llvm::AllocaInst*> state_calls_;  // an abi::StateCall, then arguments
  llvm::DenseMap<std::pair<const program::LibraryFunction*, int>, llvm::GlobalVariable*> state_rows_;  // result used
  llvm::DenseMap<std::pair<const program::LibraryFunction*, int>, llvm::GlobalVariable*> rows_;        // by When
};

// The name of the weak symbol by which a function with hooks is known.
std::string has_symbol(const llvm::GlobalValue& function);

}  // namespace racecast::frontend
