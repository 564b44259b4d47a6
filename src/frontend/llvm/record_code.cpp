#include "frontend/llvm/record_code.h"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <cstddef>

#include "abi/abi.h"
#include "base/check.h"
#include "frontend/llvm/builder.h"
#include "frontend/llvm/values.h"

namespace racecast::frontend {
namespace {

const llvm::Align kUnaligned(1);

struct Dispatch {
  llvm::Value* slot;
  llvm::Instruction* jump;
};

// Replaces a switch by one that finds the number of the target and one that jumps by it.
Dispatch split_switch(llvm::SwitchInst& sw) {
  llvm::BasicBlock* head = sw.getParent();
  llvm::Function* function = head->getParent();
  llvm::LLVMContext& context = function->getContext();
  const llvm::DebugLoc place = sw.getDebugLoc();
  llvm::BasicBlock* tail = llvm::SplitBlock(head, &sw);
  llvm::IRBuilder<> builder(tail, tail->begin());
  builder.SetCurrentDebugLocation(place);
  llvm::PHINode* slot = builder.CreatePHI(builder.getInt32Ty(), sw.getNumCases() + 1);

  auto numbered = [&](std::uint32_t number) {
    llvm::BasicBlock* block = llvm::BasicBlock::Create(context, "", function, tail);
    llvm::BranchInst::Create(tail, block)->setDebugLoc(place);
    slot->addIncoming(llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), number), block);
    return block;
  };
  head->getTerminator()->eraseFromParent();
  auto* find = llvm::SwitchInst::Create(sw.getCondition(), numbered(0), sw.getNumCases(), head);
  find->setDebugLoc(place);
  builder.SetInsertPoint(&sw);
  llvm::SwitchInst* jump = builder.CreateSwitch(slot, sw.getDefaultDest(), sw.getNumCases());
  std::uint32_t number = 0;
  for (const auto& one : sw.cases()) {
    ++number;
    find->addCase(one.getCaseValue(), numbered(number));
    jump->addCase(builder.getInt32(number), one.getCaseSuccessor());
  }
  sw.eraseFromParent();
  return {slot, jump};
}

}  // namespace

llvm::Value* id_value(llvm::IRBuilder<>& builder, llvm::GlobalVariable& ids, std::uint32_t number, llvm::Value* slot) {
  llvm::Constant* byte = llvm::ConstantExpr::getInBoundsGetElementPtr(
      ids.getValueType(), &ids, llvm::ArrayRef<llvm::Constant*>{builder.getInt64(0), builder.getInt64(number)});
  llvm::Constant* id =
      llvm::ConstantExpr::getTrunc(llvm::ConstantExpr::getPtrToInt(byte, builder.getInt64Ty()), builder.getInt32Ty());
  return slot == nullptr ? id : builder.CreateAdd(id, slot);
}

llvm::Value* item_value(llvm::IRBuilder<>& builder, const abi::Item& item, const Field& field) {
  llvm::Value* value = as_integer(builder, field.value, item.value_bytes);
  if (item.kind != abi::ItemKind::AllocaOfSize) return value;
  const auto* alloca = llvm::cast<llvm::AllocaInst>(field.address);
  const llvm::DataLayout& layout = alloca->getModule()->getDataLayout();
  return builder.CreateMul(value, builder.getInt64(layout.getTypeAllocSize(alloca->getAllocatedType())));
}

llvm::Value* frame_address(llvm::IRBuilder<>& builder) {
  return builder.CreateIntrinsic(llvm::Intrinsic::frameaddress, {builder.getPtrTy()}, {builder.getInt32(0)});
}

RecordCode::RecordCode(llvm::Module& module, llvm::GlobalVariable& ids) : module_(module), ids_(ids) {
  auto* pointer = llvm::PointerType::getUnqual(module.getContext());
  thread_ = module.getGlobalVariable("__racecast_thread");
  if (thread_ == nullptr) {
    thread_ = new llvm::GlobalVariable(module, pointer, /*isConstant=*/false, llvm::GlobalValue::ExternalLinkage,
                                       nullptr, "__racecast_thread", nullptr, llvm::GlobalValue::InitialExecTLSModel);
  }
  full_ = full_function();
}

// The runtime's __racecast_full behind a call that keeps nearly all registers, so that the rare case does not make the
// code around each record slow.
llvm::Function* RecordCode::full_function() {
  llvm::LLVMContext& context = module_.getContext();
  llvm::IRBuilder<> builder(context);
  auto* type = llvm::FunctionType::get(builder.getPtrTy(), {builder.getInt32Ty()}, false);
  const llvm::FunctionCallee hook = module_.getOrInsertFunction("__racecast_full", type);
  auto* function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, "__racecast_full_in_file", module_);
  function->setCallingConv(llvm::CallingConv::PreserveMost);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->addFnAttr(llvm::Attribute::NoInline);
  function->addFnAttr(llvm::Attribute::Cold);
  builder.SetInsertPoint(llvm::BasicBlock::Create(context, "", function));
  builder.CreateRet(builder.CreateCall(hook, {function->getArg(0)}));
  return function;
}

// Where the record goes. Leaves the builder behind the point where both ways meet.
llvm::Value* RecordCode::reserve(llvm::IRBuilder<>& builder, llvm::Value* state, std::uint32_t size) {
  llvm::Instruction* before = &*builder.GetInsertPoint();
  llvm::Value* at = builder.CreateAlignedLoad(builder.getPtrTy(), state, llvm::Align(8));
  llvm::Value* end = builder.CreateAlignedLoad(
      builder.getPtrTy(),
      builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), state, offsetof(abi::ThreadState, end)), llvm::Align(8));
  llvm::Value* behind = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), at, size);
  llvm::MDNode* unlikely = llvm::MDBuilder(module_.getContext()).createUnlikelyBranchWeights();
  llvm::Instruction* rare =
      llvm::SplitBlockAndInsertIfThen(builder.CreateICmpUGT(behind, end), before, /*Unreachable=*/false, unlikely);
  const llvm::DebugLoc place = builder.getCurrentDebugLocation();
  Builder in_rare(*rare, place);
  llvm::CallInst* room = in_rare.CreateCall(full_, {in_rare.getInt32(size)});
  room->setCallingConv(full_->getCallingConv());
  builder.SetInsertPoint(before);
  builder.SetCurrentDebugLocation(place);
  llvm::PHINode* place_of_record = builder.CreatePHI(builder.getPtrTy(), 2);
  place_of_record->addIncoming(room, rare->getParent());
  place_of_record->addIncoming(at, rare->getParent()->getSinglePredecessor());
  return place_of_record;
}

void RecordCode::write(const Record& record, std::uint32_t first_id) {
  llvm::Instruction* before = record.before;
  llvm::Value* slot = nullptr;
  if (auto* sw = llvm::dyn_cast<llvm::SwitchInst>(before); sw && record.shape.header.slots > 1) {
    const Dispatch dispatch = split_switch(*sw);
    slot = dispatch.slot;
    before = dispatch.jump;
  }
  Builder builder(*before);
  if (record.shape.header.slots > 1 && slot == nullptr) {
    llvm::Value* condition = llvm::cast<llvm::BranchInst>(before)->getCondition();
    slot = builder.CreateZExt(builder.CreateNot(condition), builder.getInt32Ty());
  }
  const auto size = static_cast<std::uint32_t>(sizeof(std::uint32_t) + abi::payload_bytes(record.shape));
  CHECK(size <= abi::kMaxRecord, "a record of {} bytes", size);

  llvm::Value* state =
      builder.CreateAlignedLoad(builder.getPtrTy(), builder.CreateThreadLocalAddress(thread_), llvm::Align(8));
  llvm::Value* at = reserve(builder, state, size);
  auto place = [&](std::uint64_t offset) {
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), at, offset);
  };
  builder.CreateAlignedStore(id_value(builder, ids_, first_id, slot), at, kUnaligned);
  std::uint64_t offset = sizeof(std::uint32_t);
  for (std::size_t i = 0; i < record.fields.size(); ++i) {
    const abi::Item& item = record.shape.items[i];
    const Field& field = record.fields[i];
    if (item.mode == abi::AddressMode::Explicit) {
      llvm::Value* address = item.kind == abi::ItemKind::Frame ? frame_address(builder) : field.address;
      builder.CreateAlignedStore(as_integer(builder, address, 8), place(offset), kUnaligned);
      offset += abi::kAddressBytes;
    }
    if (item.value_bytes != 0) {
      builder.CreateAlignedStore(item_value(builder, item, field), place(offset), kUnaligned);
      offset += item.value_bytes;
    }
  }
  builder.CreateAlignedStore(place(offset), state, llvm::Align(8))->setAtomic(llvm::AtomicOrdering::Release);
}

}  // namespace racecast::frontend
