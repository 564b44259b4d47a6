// The code of records that a hook writes (Hooks::Call; abi.h, "hooks that are called"): a call where the record
// belongs, and one behind the access with the value that was read or written. The records are those that inlined code
// would have written, byte by byte.
#pragma once

#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <cstdint>

#include "frontend/llvm/plan.h"

namespace racecast::frontend {

class CallCode {
 public:
  CallCode(llvm::Module& module, llvm::GlobalVariable& ids) : module_(module), ids_(ids) {}

  // Inserts the calls for `record`, which is not Writer::Inline and whose id is `id`. Splits no block.
  void write(const Record& record, std::uint32_t id);

 private:
  void write_access(const Record& record, std::uint32_t id);
  void call(llvm::IRBuilder<>& builder, const char* hook, llvm::ArrayRef<llvm::Value*> arguments);

  llvm::Module& module_;
  llvm::GlobalVariable& ids_;
};

}  // namespace racecast::frontend
