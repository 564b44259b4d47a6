#include "frontend/llvm/unchecked.h"

#include <llvm/ADT/Any.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/Transforms/Utils/CtorUtils.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <vector>

namespace racecast::frontend {
namespace {

constexpr llvm::StringLiteral kFront = "racecast-front";  // cli/compile/installation.cpp tells clang
constexpr llvm::StringLiteral kUnchecked = "racecast-unchecked";
constexpr llvm::StringLiteral kModuleConstructor = "tsan.module_ctor";
constexpr llvm::StringLiteral kInit = "__tsan_init";

bool was_marked(const llvm::Function& function) {
  if (function.hasFnAttribute(llvm::Attribute::DisableSanitizerInstrumentation)) return true;
  return function.hasFnAttribute(kFront) && !function.hasFnAttribute(llvm::Attribute::SanitizeThread);
}

void forbid_inlining_by_force(llvm::Function& function) {
  function.removeFnAttr(llvm::Attribute::AlwaysInline);
  for (llvm::User* user : function.users()) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(user);
    if (call != nullptr && call->getCalledOperand() == &function) call->removeFnAttr(llvm::Attribute::AlwaysInline);
  }
}

template <typename Unit>
Unit* unit_of(llvm::Any& unit) {
  const auto* const* found = llvm::any_cast<const Unit*>(&unit);
  return found == nullptr ? nullptr : const_cast<Unit*>(*found);
}

// What the pass made for every module: a constructor that starts ThreadSanitizer's runtime.
void remove_module_constructor(llvm::Module& module) {
  llvm::Function* constructor = module.getFunction(kModuleConstructor);
  if (constructor == nullptr) return;
  llvm::optimizeGlobalCtorsList(module,
                                [&](std::uint32_t, llvm::Function* function) { return function == constructor; });
  llvm::removeFromUsedLists(module, [&](llvm::Constant* used) { return used->stripPointerCasts() == constructor; });
  constructor->removeDeadConstantUsers();  // the lists as they were
  if (!constructor->use_empty()) return;
  constructor->eraseFromParent();
  llvm::Function* init = module.getFunction(kInit);
  if (init != nullptr && init->isDeclaration() && init->use_empty()) init->eraseFromParent();
}

}  // namespace

void mark_unchecked(llvm::Module& module) {
  std::vector<llvm::GlobalValue*> kept;
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    if (!was_marked(function)) {
      function.addFnAttr(llvm::Attribute::SanitizeThread);
      continue;
    }
    function.addFnAttr(kUnchecked);
    function.removeFnAttr(llvm::Attribute::SanitizeThread);
    forbid_inlining_by_force(function);
    // Of a function that only calls use, a load may be moved into its callers (argument promotion).
    if (function.hasLocalLinkage() && !function.use_empty()) kept.push_back(&function);
  }
  if (!kept.empty()) llvm::appendToCompilerUsed(module, kept);
}

bool is_unchecked(const llvm::Function& function) {
  return function.hasFnAttribute(kUnchecked);
}

void unmark_unchecked(llvm::Module& module) {
  for (llvm::Function& function : module) {
    function.removeFnAttr(kUnchecked);
    function.removeFnAttr(kFront);
  }
}

void keep_out_thread_sanitizer(llvm::PassBuilder& builder) {
  llvm::PassInstrumentationCallbacks* callbacks = builder.getPassInstrumentationCallbacks();
  if (callbacks == nullptr) return;
  // Around each function, as the other sanitizers heed this attribute, too.
  static constexpr llvm::StringLiteral kOurs = "racecast-not-by-tsan";
  callbacks->registerBeforeNonSkippedPassCallback([](llvm::StringRef pass, llvm::Any unit) {
    if (pass != "ThreadSanitizerPass") return;
    auto* function = unit_of<llvm::Function>(unit);
    if (function == nullptr || function->hasFnAttribute(llvm::Attribute::DisableSanitizerInstrumentation)) return;
    function->addFnAttr(llvm::Attribute::DisableSanitizerInstrumentation);
    function->addFnAttr(kOurs);
  });
  callbacks->registerAfterPassCallback([](llvm::StringRef pass, llvm::Any unit, const llvm::PreservedAnalyses&) {
    if (pass == "ModuleThreadSanitizerPass") {
      if (auto* module = unit_of<llvm::Module>(unit)) remove_module_constructor(*module);
    } else if (pass == "ThreadSanitizerPass") {
      auto* function = unit_of<llvm::Function>(unit);
      if (function == nullptr || !function->hasFnAttribute(kOurs)) return;
      function->removeFnAttr(kOurs);
      function->removeFnAttr(llvm::Attribute::DisableSanitizerInstrumentation);
    }
  });
}

}  // namespace racecast::frontend
