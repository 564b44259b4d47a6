#include "frontend/llvm/prepare.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <utility>
#include <vector>

namespace racecast::frontend {
namespace {

void promote_allocas(llvm::Function& function) {
  if (function.callsFunctionThatReturnsTwice()) return;
  llvm::DominatorTree dominators(function);
  // Promoting one makes others promotable: those whose address it held.
  while (true) {
    std::vector<llvm::AllocaInst*> allocas;
    for (llvm::Instruction& instruction : function.getEntryBlock()) {
      if (auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction); alloca && llvm::isAllocaPromotable(alloca)) {
        allocas.push_back(alloca);
      }
    }
    if (allocas.empty()) return;
    llvm::PromoteMemToReg(allocas, dominators);
  }
}

void copy_arguments(llvm::Function& function) {
  llvm::Instruction* const start = &*function.getEntryBlock().getFirstInsertionPt();
  llvm::IRBuilder<> builder(start);
  builder.SetCurrentDebugLocation(llvm::DebugLoc());
  const llvm::DataLayout& layout = function.getDataLayout();
  for (llvm::Argument& argument : function.args()) {
    if (!argument.hasByValAttr() || argument.use_empty()) continue;
    llvm::Type* const type = argument.getParamByValType();
    const llvm::Align align = layout.getValueOrABITypeAlignment(argument.getParamAlign(), type);
    llvm::AllocaInst* const copy = builder.CreateAlloca(type, nullptr, argument.getName() + ".copy");
    copy->setAlignment(align);
    argument.replaceAllUsesWith(copy);
    builder.CreateMemCpy(copy, align, &argument, align, layout.getTypeAllocSize(type).getFixedValue());
  }
}

void copy_passed_objects(llvm::Function& function) {
  const llvm::DataLayout& layout = function.getDataLayout();
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call == nullptr || call->isMustTailCall()) continue;
    for (unsigned k = 0; k < call->arg_size(); ++k) {
      // What an alloca of this function holds is recorded where it matters.
      if (!call->isByValArgument(k) || llvm::isa<llvm::AllocaInst>(call->getArgOperand(k))) continue;
      llvm::Type* const type = call->getParamByValType(k);
      const llvm::Align align = layout.getValueOrABITypeAlignment(call->getParamAlign(k), type);
      llvm::IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
      llvm::AllocaInst* const copy = builder.CreateAlloca(type, nullptr, "passed");
      copy->setAlignment(align);
      builder.SetInsertPoint(call);
      builder.CreateMemCpy(copy, align, call->getArgOperand(k), llvm::MaybeAlign(),
                           layout.getTypeAllocSize(type).getFixedValue());
      call->setArgOperand(k, copy);
      if (auto* direct = llvm::dyn_cast<llvm::CallInst>(call)) direct->setTailCall(false);
    }
  }
}

void gather_allocas(llvm::Function& function) {
  llvm::BasicBlock& entry = function.getEntryBlock();
  llvm::Instruction* behind = &entry.front();
  while (llvm::isa<llvm::AllocaInst>(behind)) behind = behind->getNextNode();
  for (llvm::Instruction* at = behind; at != nullptr;) {
    llvm::Instruction* const next = at->getNextNode();
    if (auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(at); alloca && alloca->isStaticAlloca()) {
      alloca->moveBefore(behind);
    }
    at = next;
  }
}

void forward_loads(llvm::BasicBlock& block) {
  llvm::DenseMap<std::pair<llvm::Value*, llvm::Type*>, llvm::Value*>
      known;  // what is at this pointer, read as this type
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(block)) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction); load && load->isSimple()) {
      const auto [entry, added] = known.try_emplace({load->getPointerOperand(), load->getType()}, load);
      if (added) continue;
      load->replaceAllUsesWith(entry->second);
      load->eraseFromParent();
    } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction); store && store->isSimple()) {
      known.clear();
      llvm::Value* value = store->getValueOperand();
      known[{store->getPointerOperand(), value->getType()}] = value;
    } else if (instruction.mayReadOrWriteMemory() && !instruction.isDebugOrPseudoInst()) {
      known.clear();
    }
  }
}

void split_invokes(llvm::Function& function) {
  llvm::SmallVector<llvm::InvokeInst*> invokes;
  for (llvm::BasicBlock& block : function) {
    auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(block.getTerminator());
    if (invoke != nullptr && invoke->getNormalDest()->getUniquePredecessor() == nullptr) invokes.push_back(invoke);
  }
  for (llvm::InvokeInst* invoke : invokes) llvm::SplitEdge(invoke->getParent(), invoke->getNormalDest());
}

void replace_empty_switches(llvm::Function& function) {
  for (llvm::BasicBlock& block : function) {
    auto* sw = llvm::dyn_cast<llvm::SwitchInst>(block.getTerminator());
    if (sw == nullptr || sw->getNumCases() != 0) continue;
    llvm::BranchInst* jump = llvm::BranchInst::Create(sw->getDefaultDest(), sw->getIterator());
    jump->setDebugLoc(sw->getDebugLoc());
    sw->eraseFromParent();
  }
}

}  // namespace

bool forwards_varargs(const llvm::Function& function) {
  return function.isVarArg() && llvm::any_of(llvm::instructions(function), [](const llvm::Instruction& instruction) {
           const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
           return call != nullptr && call->isMustTailCall();
         });
}

void prepare(llvm::Function& function) {
  llvm::EliminateUnreachableBlocks(function);
  if (!forwards_varargs(function)) {
    copy_arguments(function);
    copy_passed_objects(function);
  }
  promote_allocas(function);
  gather_allocas(function);
  for (llvm::BasicBlock& block : function) forward_loads(block);
  split_invokes(function);
  replace_empty_switches(function);
  if (forwards_varargs(function)) return;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (call != nullptr && call->isMustTailCall()) call->setTailCallKind(llvm::CallInst::TCK_None);
  }
}

}  // namespace racecast::frontend
