#include "frontend/llvm/atomics.h"

#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>

#include <cstdint>

#include "base/check.h"
#include "frontend/llvm/builder.h"
#include "frontend/llvm/order.h"
#include "frontend/llvm/values.h"
#include "trace/event.h"

namespace racecast::frontend {
namespace {

class Hooks {
 public:
  Hooks(llvm::Module& module, llvm::Instruction& instruction)
      : module_(module), before_(instruction), after_(*instruction.getNextNode(), instruction.getDebugLoc()) {}

  void load(llvm::LoadInst& load) {
    begin(load.getPointerOperand());
    end("__racecast_atomic_load", load.getPointerOperand(), what(load.getType(), load.getOrdering()), {bits(&load)});
  }

  void store(llvm::StoreInst& store) {
    llvm::Value* value = store.getValueOperand();
    begin(store.getPointerOperand());
    end("__racecast_atomic_store", store.getPointerOperand(), what(value->getType(), store.getOrdering()),
        {bits(value)});
  }

  void read_modify_write(llvm::AtomicRMWInst& rmw) {
    begin(rmw.getPointerOperand());
    llvm::Value* written = llvm::buildAtomicRMWValue(rmw.getOperation(), after_, &rmw, rmw.getValOperand());
    end("__racecast_atomic_rmw", rmw.getPointerOperand(), what(rmw.getType(), rmw.getOrdering()),
        {bits(&rmw), bits(written)});
  }

  void compare_and_swap(llvm::AtomicCmpXchgInst& cas) {
    begin(cas.getPointerOperand());
    llvm::Value* read = after_.CreateExtractValue(&cas, 0);
    llvm::Value* success = after_.CreateExtractValue(&cas, 1);
    llvm::Value* written = after_.CreateSelect(success, cas.getNewValOperand(), cas.getCompareOperand());
    llvm::Value* done = what(read->getType(), cas.getSuccessOrdering(), trace::kCas);
    llvm::Value* failed = what(read->getType(), cas.getFailureOrdering(), trace::kCas | trace::kFailed);
    end("__racecast_atomic_rmw", cas.getPointerOperand(), after_.CreateSelect(success, done, failed),
        {bits(read), bits(written)});
  }

  void fence(llvm::FenceInst& fence) {
    const llvm::FunctionCallee hook =
        module_.getOrInsertFunction("__racecast_fence", after_.getVoidTy(), after_.getInt32Ty());
    after_.CreateCall(hook, {after_.getInt32(static_cast<std::uint32_t>(order_of(fence.getOrdering())))});
  }

 private:
  void begin(llvm::Value* pointer) {
    const llvm::FunctionCallee hook =
        module_.getOrInsertFunction("__racecast_atomic_begin", before_.getVoidTy(), before_.getPtrTy());
    before_.CreateCall(hook, {pointer});
  }

  void end(const char* name, llvm::Value* pointer, llvm::Value* description,
           std::initializer_list<llvm::Value*> values) {
    llvm::SmallVector<llvm::Value*, 4> arguments{pointer, description};
    arguments.append(values);
    llvm::SmallVector<llvm::Type*, 4> types;
    for (const llvm::Value* argument : arguments) types.push_back(argument->getType());
    const llvm::FunctionCallee hook =
        module_.getOrInsertFunction(name, llvm::FunctionType::get(after_.getVoidTy(), types, false));
    after_.CreateCall(hook, arguments);
  }

  llvm::Value* what(llvm::Type* type, llvm::AtomicOrdering ordering, unsigned flags = 0) {
    const auto size = static_cast<std::uint32_t>(module_.getDataLayout().getTypeStoreSize(type).getFixedValue());
    const auto order = static_cast<std::uint32_t>(order_of(ordering));
    const std::uint32_t has_values = value_bytes(type) != 0 ? 1 : 0;
    return after_.getInt32(size | order << 8 | has_values << 16 | flags << 24);
  }

  llvm::Value* bits(llvm::Value* value) {
    return value_bytes(value->getType()) != 0 ? as_integer(after_, value, 8) : after_.getInt64(0);
  }

  llvm::Module& module_;
  Builder before_;
  Builder after_;
};

}  // namespace

bool is_atomic_step(const llvm::Instruction& instruction) {
  if (!instruction.isAtomic()) return false;
  const auto* fence = llvm::dyn_cast<llvm::FenceInst>(&instruction);
  return fence == nullptr || fence->getSyncScopeID() != llvm::SyncScope::SingleThread;
}

void add_atomic_hooks(llvm::Module& module, llvm::Instruction& instruction) {
  Hooks hooks(module, instruction);
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    hooks.load(*load);
  } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    hooks.store(*store);
  } else if (auto* rmw = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
    hooks.read_modify_write(*rmw);
  } else if (auto* cas = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
    hooks.compare_and_swap(*cas);
  } else {
    auto* fence = llvm::dyn_cast<llvm::FenceInst>(&instruction);
    CHECK(fence != nullptr, "{} is no atomic", instruction.getOpcodeName());
    hooks.fence(*fence);
  }
}

}  // namespace racecast::frontend
