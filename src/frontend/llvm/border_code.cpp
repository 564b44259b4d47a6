#include "frontend/llvm/border_code.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <cstddef>

#include "abi/abi.h"
#include "frontend/llvm/builder.h"
#include "frontend/llvm/record_code.h"

namespace racecast::frontend {
namespace {

// The runtime's hook behind a call that keeps nearly all registers.
llvm::Function* in_file(llvm::Module& module, llvm::StringRef hook, llvm::FunctionType* type) {
  const std::string name = (hook + "_in_file").str();
  if (llvm::Function* known = module.getFunction(name)) return known;
  auto* function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, module);
  function->setCallingConv(llvm::CallingConv::PreserveMost);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->addFnAttr(llvm::Attribute::NoInline);
  function->addFnAttr(llvm::Attribute::Cold);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(module.getContext(), "", function));
  llvm::SmallVector<llvm::Value*> arguments;
  for (llvm::Argument& argument : function->args()) arguments.push_back(&argument);
  builder.CreateCall(module.getOrInsertFunction(hook, type), arguments);
  builder.CreateRetVoid();
  return function;
}

template <typename Instruction>
llvm::SmallVector<Instruction*> all_of(llvm::Function& function) {
  llvm::SmallVector<Instruction*> all;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* one = llvm::dyn_cast<Instruction>(&instruction)) all.push_back(one);
  return all;
}

}  // namespace

BorderCode::Border BorderCode::load(llvm::IRBuilder<>& builder, llvm::Module& module) {
  llvm::Value* state = builder.CreateAlignedLoad(
      builder.getPtrTy(), builder.CreateThreadLocalAddress(module.getGlobalVariable("__racecast_thread")),
      llvm::Align(8));
  llvm::Value* place =
      builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), state, offsetof(abi::ThreadState, border));
  llvm::Value* border = builder.CreateAlignedLoad(builder.getInt64Ty(), place, llvm::Align(8));
  return {builder.CreatePtrToInt(frame_address(builder), builder.getInt64Ty()), border};
}

void BorderCode::call_if(llvm::IRBuilder<>& builder, llvm::Value* condition, llvm::StringRef hook,
                         llvm::ArrayRef<llvm::Value*> arguments) {
  llvm::SmallVector<llvm::Type*> types;
  for (const llvm::Value* argument : arguments) types.push_back(argument->getType());
  llvm::Function* callee = in_file(module_, hook, llvm::FunctionType::get(builder.getVoidTy(), types, false));
  const llvm::DebugLoc place = builder.getCurrentDebugLocation();
  llvm::MDNode* unlikely = llvm::MDBuilder(module_.getContext()).createUnlikelyBranchWeights();
  llvm::Instruction* rare =
      llvm::SplitBlockAndInsertIfThen(condition, &*builder.GetInsertPoint(), /*Unreachable=*/false, unlikely);
  Builder in_rare(*rare, place);
  in_rare.CreateCall(callee, arguments)->setCallingConv(callee->getCallingConv());
}

void BorderCode::add_callback(llvm::Function& function, std::uint32_t entry_id) {
  for (llvm::ReturnInst* end : all_of<llvm::ReturnInst>(function)) {
    Builder builder(*end);
    const auto [frame, border] = load(builder, module_);
    llvm::Value* result = end->getReturnValue();
    const bool is_pointer =
        result != nullptr && result->getType()->isPointerTy() && result->getType()->getPointerAddressSpace() == 0;
    if (!is_pointer) result = llvm::ConstantPointerNull::get(builder.getPtrTy());
    call_if(builder, builder.CreateICmpEQ(frame, border), "__racecast_returning", {result});
  }
  llvm::Instruction* first = &function.getEntryBlock().front();
  while (llvm::isa<llvm::AllocaInst>(first)) first = first->getNextNode();
  Builder builder(*first);
  const auto [frame, border] = load(builder, module_);
  call_if(builder, builder.CreateICmpUGE(frame, border), "__racecast_called",
          {frame, id_value(builder, ids_, entry_id)});
}

void BorderCode::add_unwinding(llvm::Function& function) {
  for (llvm::ResumeInst* end : all_of<llvm::ResumeInst>(function)) {
    Builder builder(*end);
    const auto [frame, border] = load(builder, module_);
    call_if(builder, builder.CreateICmpNE(border, builder.getInt64(abi::kNoBorder)), "__racecast_unwinding", {frame});
  }
}

void BorderCode::add_landing(llvm::Instruction& before) {
  Builder builder(before);
  const auto [frame, border] = load(builder, module_);
  call_if(builder, builder.CreateICmpNE(border, builder.getInt64(abi::kNoBorder)), "__racecast_caught", {frame});
}

}  // namespace racecast::frontend
