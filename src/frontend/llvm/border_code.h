// The code by which functions notice the border to code without hooks (abi.h, ThreadState::border): that such code
// called them, that they return to it, that an unwind came across it. Each is a load and a comparison inline; what
// follows from it is rare and out of line, behind calls that keep nearly all registers.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <cstdint>

namespace racecast::frontend {

class BorderCode {
 public:
  BorderCode(llvm::Module& module, llvm::GlobalVariable& ids) : module_(module), ids_(ids) {}

  // Insert what a function needs when its records are in place. Where code without hooks may call it: at its entry,
  // whose record has this id, before everything else, and behind the records of its returns.
  void add_callback(llvm::Function& function, std::uint32_t entry_id);
  // Where it unwinds on, behind the record that says so.
  void add_unwinding(llvm::Function& function);
  // Inserts right before `before`, which follows the record of a landing: what the unwind has left is over.
  void add_landing(llvm::Instruction& before);

 private:
  struct Border {
    llvm::Value* frame;   // of the function, as an integer
    llvm::Value* border;  // as it is now
  };
  static Border load(llvm::IRBuilder<>& builder, llvm::Module& module);
  // Calls the hook where the condition holds.
  void call_if(llvm::IRBuilder<>& builder, llvm::Value* condition, llvm::StringRef hook,
               llvm::ArrayRef<llvm::Value*> arguments);

  llvm::Module& module_;
  llvm::GlobalVariable& ids_;
};

}  // namespace racecast::frontend
