#include "frontend/llvm/marks.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalAlias.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>

#include "abi/abi.h"
#include "frontend/llvm/calls.h"

namespace racecast::frontend {
namespace {

void add_symbol(const llvm::GlobalValue& name, const llvm::Function& function) {
  if (name.hasLocalLinkage()) return;
  llvm::Module& module = *const_cast<llvm::Function&>(function).getParent();
  llvm::Type* byte = llvm::Type::getInt8Ty(module.getContext());
  // A copy that the module may drop must not be kept by its symbol.
  const bool discardable = llvm::GlobalValue::isLinkOnceLinkage(name.getLinkage());
  const auto linkage = discardable ? llvm::GlobalValue::LinkOnceAnyLinkage : llvm::GlobalValue::WeakAnyLinkage;
  const std::string text = has_symbol(name);
  auto* symbol = llvm::dyn_cast_or_null<llvm::GlobalVariable>(module.getNamedValue(text));
  if (symbol == nullptr) symbol = new llvm::GlobalVariable(module, byte, /*isConstant=*/true, linkage, nullptr, text);
  symbol->setInitializer(llvm::ConstantInt::get(byte, 0));
  symbol->setLinkage(linkage);
  symbol->setVisibility(name.getVisibility());
  symbol->setComdat(const_cast<llvm::Comdat*>(function.getComdat()));
}

}  // namespace

void mark(llvm::Function& function) {
  add_symbol(function, function);
  for (const llvm::GlobalAlias& alias : function.getParent()->aliases()) {
    if (alias.getAliaseeObject() == &function) add_symbol(alias, function);
  }
  if (function.hasPrefixData()) return;
  // 16 bytes, so that the entry stays aligned.
  llvm::Type* word = llvm::Type::getInt64Ty(function.getContext());
  llvm::Constant* words[] = {llvm::ConstantInt::get(word, 0), llvm::ConstantInt::get(word, abi::kFunctionMark)};
  function.setPrefixData(llvm::ConstantArray::get(llvm::ArrayType::get(word, 2), words));
}

}  // namespace racecast::frontend
