#include "frontend/llvm/embed.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <vector>

#include "abi/abi.h"
#include "abi/object_models.h"

namespace racecast::frontend {
namespace {

bool is_local_in_comdat(const llvm::GlobalObject& object) {
  return object.hasLocalLinkage() && object.hasComdat();
}

// A reference to a symbol that the module itself no longer uses could be the only one, and fail to link.
bool is_used(const llvm::GlobalValue& value) {
  value.removeDeadConstantUsers();
  return !value.use_empty();
}

bool has_table_address(const llvm::Function& function) {
  if (function.isIntrinsic() || is_local_in_comdat(function)) return false;
  // A declared function that is only called may be bound late, or never.
  if (function.isDeclarationForLinker()) return function.hasAddressTaken();
  return true;
}

llvm::GlobalVariable* constant(llvm::Module& module, llvm::Constant* value, const char* name) {
  return new llvm::GlobalVariable(module, value->getType(), /*isConstant=*/true, llvm::GlobalValue::PrivateLinkage,
                                  value, name);
}

llvm::Constant* table(llvm::Module& module, const std::vector<llvm::Constant*>& entries, const char* name) {
  auto* pointer = llvm::PointerType::getUnqual(module.getContext());
  if (entries.empty()) return llvm::ConstantPointerNull::get(pointer);
  return constant(module, llvm::ConstantArray::get(llvm::ArrayType::get(pointer, entries.size()), entries), name);
}

void add_constructor(llvm::Module& module, llvm::Constant* description) {
  llvm::LLVMContext& context = module.getContext();
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), false);
  auto* function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, "__racecast_module_init", module);
  function->setSection(".text.startup");
  function->addFnAttr(llvm::Attribute::NoUnwind);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", function));
  const llvm::FunctionCallee hook =
      module.getOrInsertFunction("__racecast_module", builder.getVoidTy(), builder.getPtrTy());
  builder.CreateCall(hook, {description});
  builder.CreateRetVoid();
  llvm::appendToGlobalCtors(module, function, /*Priority=*/0);
}

}  // namespace

bool has_table_address(const llvm::GlobalVariable& global) {
  return !global.isThreadLocal() && global.getAddressSpace() == 0 && !global.getName().starts_with("llvm.") &&
         !is_local_in_comdat(global);
}

llvm::GlobalVariable* make_ids(llvm::Module& module, std::uint32_t count) {
  auto* type = llvm::ArrayType::get(llvm::Type::getInt8Ty(module.getContext()), count);
  auto* ids = new llvm::GlobalVariable(module, type, /*isConstant=*/false, llvm::GlobalValue::InternalLinkage,
                                       llvm::ConstantAggregateZero::get(type), "__racecast_ids");
  ids->setAlignment(llvm::Align(1));
  return ids;
}

void embed(llvm::Module& module, const Lowered& lowered, const abi::Model& model, llvm::GlobalVariable& ids) {
  llvm::LLVMContext& context = module.getContext();
  llvm::IRBuilder<> builder(context);
  llvm::PointerType* pointer = builder.getPtrTy();
  auto* const null = llvm::ConstantPointerNull::get(pointer);

  std::vector<llvm::Constant*> globals(model.program.globals.size(), null);
  for (const auto& [global, id] : lowered.globals) {
    if (has_table_address(*global) && is_used(*global)) globals[id] = const_cast<llvm::GlobalVariable*>(global);
  }
  std::vector<std::uint64_t> sizes(globals.size());
  for (const auto& [global, id] : lowered.globals) {
    if (!global->isDeclarationForLinker())
      sizes[id] = module.getDataLayout().getTypeAllocSize(global->getValueType()).getFixedValue();
  }
  std::vector<llvm::Constant*> functions(model.program.functions.size(), null);
  for (const auto& [function, id] : lowered.functions) {
    if (has_table_address(*function)) functions[id] = const_cast<llvm::Function*>(function);
  }

  const std::vector<std::uint8_t> packed = abi::encode_model(model);
  llvm::GlobalVariable* bytes = constant(module, llvm::ConstantDataArray::get(context, packed), "__racecast_model");
  bytes->setSection(abi::kModelSection);
  bytes->setAlignment(llvm::Align(1));

  // abi::Module, member by member.
  llvm::Constant* members[] = {
      builder.getInt32(abi::kVersion),
      builder.getInt32(static_cast<std::uint32_t>(ids.getValueType()->getArrayNumElements())),
      &ids,
      bytes,
      builder.getInt64(packed.size()),
      table(module, globals, "__racecast_globals"),
      constant(module, llvm::ConstantDataArray::get(context, sizes), "__racecast_global_sizes"),
      builder.getInt64(globals.size()),
      table(module, functions, "__racecast_functions"),
      builder.getInt64(functions.size()),
  };
  add_constructor(module,
                  constant(module, llvm::ConstantStruct::getAnon(context, members), "__racecast_module_of_file"));
}

}  // namespace racecast::frontend
