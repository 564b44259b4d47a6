#include "frontend/llvm/call_kind.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalAlias.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>

namespace racecast::frontend {

const llvm::GlobalValue* callee_of(const llvm::CallBase& call) {
  return llvm::dyn_cast<llvm::GlobalValue>(call.getCalledOperand()->stripPointerCasts());
}

llvm::StringRef symbol_name(const llvm::GlobalValue& value) {
  llvm::StringRef name = value.getName();
  name.consume_front("\1");  // what LLVM writes before a name that must not be mangled
  return name;
}

bool is_defined_here(const llvm::GlobalValue& callee) {
  const auto* body = llvm::dyn_cast_or_null<llvm::Function>(callee.getAliaseeObject());
  return body != nullptr && !body->isDeclarationForLinker() && !callee.isInterposable();
}

bool leaves_program(const llvm::CallBase& call) {
  const auto* assembly = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand());
  if (assembly == nullptr) return false;
  const llvm::StringRef text(assembly->getAsmString());
  // Also part of a longer word: "callq", "vmcall". `$` is written twice in an assembly string.
  for (const char* word : {"syscall", "sysenter", "int $$0x80", "int $$128", "call", "ljmp", "jmp *", "jmpq *"})
    if (text.contains_insensitive(word)) return true;
  return false;
}

CallKind kind_of(const llvm::CallBase& call, const CallContext& context) {
  if (call.isInlineAsm()) {
    if (leaves_program(call)) return CallKind::Assembly;
    const bool pointers = llvm::any_of(call.args(), [](const llvm::Use& use) { return use->getType()->isPointerTy(); });
    return pointers && !call.doesNotAccessMemory() ? CallKind::Assembly : CallKind::Harmless;
  }
  const llvm::GlobalValue* callee = callee_of(call);
  if (callee == nullptr) return CallKind::Indirect;
  if (const auto* function = llvm::dyn_cast<llvm::Function>(callee); function && function->isIntrinsic()) {
    return CallKind::Harmless;
  }
  if (is_defined_here(*callee)) {
    const auto* body = llvm::cast<llvm::Function>(callee->getAliaseeObject());
    return context.instrumented.contains(body) ? CallKind::Inside : CallKind::Outside;
  }
  const llvm::StringRef name = symbol_name(*callee);
  if (context.library->find_known({name.data(), name.size()}) != nullptr) return CallKind::Known;
  if (callee->isDeclaration() && call.doesNotAccessMemory() && call.doesNotThrow() && llvm::isa<llvm::CallInst>(call)) {
    return CallKind::Pure;
  }
  return CallKind::Outside;
}

}  // namespace racecast::frontend
