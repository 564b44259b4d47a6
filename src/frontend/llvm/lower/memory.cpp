// Memory: allocas, loads, stores, atomics, and the intrinsics that fill and copy.
//
// Local memory (escape.h) is computed by whoever runs the model: what fills or copies it is written out as loads and
// stores. A load of a constant computes too, where the model has its bytes; of other constants (tables of addresses) it
// is recorded as a value: no thread can write there, so it is no access.
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>

#include "base/check.h"
#include "frontend/llvm/lower/debug_types.h"
#include "frontend/llvm/lower/function.h"
#include "frontend/llvm/lower/types.h"
#include "frontend/llvm/order.h"

namespace racecast::frontend {

using program::kI64;
using program::kPtr;
using program::Op;
using program::Operand;
using program::Rmw;
using program::Type;
using program::TypeKind;

namespace {

std::optional<Rmw> rmw_of(llvm::AtomicRMWInst::BinOp op) {
  switch (op) {
    case llvm::AtomicRMWInst::Xchg: return Rmw::Exchange;
    case llvm::AtomicRMWInst::Add: return Rmw::Add;
    case llvm::AtomicRMWInst::Sub: return Rmw::Sub;
    case llvm::AtomicRMWInst::And: return Rmw::And;
    case llvm::AtomicRMWInst::Or: return Rmw::Or;
    case llvm::AtomicRMWInst::Xor: return Rmw::Xor;
    case llvm::AtomicRMWInst::Nand: return Rmw::Nand;
    case llvm::AtomicRMWInst::Max: return Rmw::SMax;
    case llvm::AtomicRMWInst::Min: return Rmw::SMin;
    case llvm::AtomicRMWInst::UMax: return Rmw::UMax;
    case llvm::AtomicRMWInst::UMin: return Rmw::UMin;
    default: return std::nullopt;
  }
}

bool is_ordinary_pointer(const llvm::Value* pointer) {
  return scalar_type(pointer->getType()) == kPtr;
}

// The constant that a load reads; null where it may read something else.
const llvm::GlobalVariable* constant_behind(const llvm::Value* pointer) {
  const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(llvm::getUnderlyingObject(pointer));
  return global != nullptr && global->isConstant() && !global->isThreadLocal() ? global : nullptr;
}

// Calls `f(offset, bytes)` for pieces of 8, 4, 2 and 1 bytes that make up `length`.
template <typename F>
void for_pieces(std::uint64_t length, F f) {
  for (std::uint64_t offset = 0; offset < length;) {
    std::uint64_t bytes = 8;
    while (bytes > length - offset) bytes /= 2;
    f(offset, bytes);
    offset += bytes;
  }
}

Type integer_of(std::uint64_t bytes) {
  return {TypeKind::Int, static_cast<std::uint8_t>(bytes * 8)};
}

}  // namespace

std::optional<program::StructByte> FunctionLowering::accessed(const llvm::Instruction& access,
                                                              const llvm::Value* pointer) {
  const auto found = pointers_.accessed_by(access, pointer);
  const auto type = found ? module_.structs().of(*found->type) : std::nullopt;
  if (!type || found->offset >= module_.out().program.structs[index(*type)].size) return std::nullopt;
  return program::StructByte{*type, static_cast<std::uint32_t>(found->offset)};
}

void FunctionLowering::lower_alloca(const llvm::AllocaInst& i) {
  if (!is_ordinary_pointer(&i)) return opaque(i, "alloca");
  const std::uint64_t element = module_.layout().getTypeAllocSize(i.getAllocatedType()).getKnownMinValue();
  Operand size = Operand::constant(element);
  if (const auto* count = llvm::dyn_cast<llvm::ConstantInt>(i.getArraySize())) {
    size = Operand::constant(element * count->getZExtValue());
  } else if (const auto type = scalar_type(i.getArraySize()->getType())) {
    const Operand wide = resized(operand_of(i.getArraySize()), *type, 64, false);
    size = emit(Op::Mul, kI64, {wide, Operand::constant(element)});
  } else {
    size = unknown(kI64, "wide size");
  }
  const bool local = locality_.is_local_pointer(&i);
  if (local) module_.out().local.insert(&i);
  const program::RegId result = register_of(&i);
  note(i);
  program::Instruction& made = append(Op::StackAlloc, kPtr, {size});
  made.result = result;
  made.local = local;
  if (const auto type = module_.structs().of(i)) made.imm = index(*type) + 1;
  // The source has it where the variable is declared.
  if (const DeclaredLocal declared = variable_of(i); declared.variable != nullptr) {
    made.label = module_.intern(declared.variable->getName());
    made.position = module_.position_of(*declared.variable, declared.at);
  }
}

void FunctionLowering::lower_load(const llvm::LoadInst& i) {
  const auto type = scalar_type(i.getType());
  const llvm::Value* pointer = i.getPointerOperand();
  if (!is_ordinary_pointer(pointer)) {
    module_.out().local.insert(&i);  // a segment of the thread's own
    return opaque_access(i, "load of a segment", pointer);
  }
  const llvm::GlobalVariable* constant = constant_behind(pointer);
  const bool computes = constant != nullptr && module_.has_constant_bytes(*constant);
  if (constant != nullptr && !(computes && type)) {
    if (!type) module_.out().local.insert(&i);
    return opaque(i, "load of a constant");
  }
  if (!type || (i.isAtomic() && !computes && !is_atomic_width(*type))) {
    return opaque_access(i, "load", pointer);
  }
  const bool local = computes || locality_.is_local_pointer(pointer);
  if (local) module_.out().local.insert(&i);
  const bool atomic = i.isAtomic() && !local;
  const Operand where = operand_of(pointer);
  const program::RegId result = register_of(&i);
  note(i);
  program::Instruction& made = append(atomic ? Op::AtomicLoad : Op::Load, *type, {where});
  made.result = result;
  made.local = local;
  if (!local) made.accessed = accessed(i, pointer);
  if (atomic) made.order = order_of(i.getOrdering());
}

void FunctionLowering::lower_store(const llvm::StoreInst& i) {
  const auto type = scalar_type(i.getValueOperand()->getType());
  const llvm::Value* pointer = i.getPointerOperand();
  if (!is_ordinary_pointer(pointer)) {
    module_.out().local.insert(&i);
    return opaque_access(i, "store to a segment", pointer);
  }
  if (!type || (i.isAtomic() && !is_atomic_width(*type))) return opaque_access(i, "store", pointer);
  const bool local = locality_.is_local_pointer(pointer);
  if (local) module_.out().local.insert(&i);
  const Operand where = operand_of(pointer);
  const Operand value = operand_of(i.getValueOperand());
  note(i);
  program::Instruction& made = append(i.isAtomic() ? Op::AtomicStore : Op::Store, *type, {where, value});
  made.local = local;
  if (!local) made.accessed = accessed(i, pointer);
  made.order = order_of(i.getOrdering());
}

void FunctionLowering::lower_rmw(const llvm::AtomicRMWInst& i) {
  const auto type = scalar_type(i.getType());
  const auto rmw = rmw_of(i.getOperation());
  if (!type || !rmw || !is_atomic_width(*type) || !is_ordinary_pointer(i.getPointerOperand())) {
    return opaque_access(i, "atomicrmw", i.getPointerOperand());
  }
  const Operand where = operand_of(i.getPointerOperand());
  const Operand value = operand_of(i.getValOperand());
  const program::RegId result = register_of(&i);
  note(i);
  program::Instruction& made = append(Op::AtomicRmw, *type, {where, value});
  made.result = result;
  made.rmw = *rmw;
  made.accessed = accessed(i, i.getPointerOperand());
  made.order = order_of(i.getOrdering());
}

void FunctionLowering::lower_cas(const llvm::AtomicCmpXchgInst& i) {
  if (!has_element_register(i, 0)) return opaque_access(i, "cmpxchg", i.getPointerOperand());
  const Type type = *scalar_type(i.getCompareOperand()->getType());
  const Operand where = operand_of(i.getPointerOperand());
  const Operand expected = operand_of(i.getCompareOperand());
  const Operand desired = operand_of(i.getNewValOperand());
  const program::RegId read = register_of(&i, 0);
  const program::RegId success = register_of(&i, 1);
  note(i);
  program::Instruction& made = append(Op::AtomicCas, type, {where, expected, desired});
  made.result = read;
  made.result2 = success;
  made.accessed = accessed(i, i.getPointerOperand());
  made.order = order_of(i.getMergedOrdering());
  define_pair(i);
}

void FunctionLowering::lower_fence(const llvm::FenceInst& i) {
  if (i.getSyncScopeID() == llvm::SyncScope::SingleThread) return;  // orders a thread with its own handlers only
  note(i);
  append(Op::Fence, program::kVoid, {}).order = order_of(i.getOrdering());
}

void FunctionLowering::local_store(Operand base, std::uint64_t offset, std::uint64_t bytes, Operand value) {
  const Operand where = emit(Op::Offset, kPtr, {base}, offset);
  append(Op::Store, integer_of(bytes), {where, value}).local = true;
}

// Only what is copied or filled into local memory is written out; the rest happens in shared memory and is recorded.
void FunctionLowering::lower_memory_intrinsic(const llvm::MemIntrinsic& i) {
  if (!locality_.is_local_pointer(i.getRawDest())) {
    Operands operands;
    for (const llvm::Value* argument : {i.getArgOperand(0), i.getArgOperand(1), i.getArgOperand(2)}) {
      operands.push_back(operand_of(argument));
    }
    const llvm::StringRef what = llvm::isa<llvm::MemSetInst>(i)    ? "memset"
                                 : llvm::isa<llvm::MemMoveInst>(i) ? "memmove"
                                                                   : "memcpy";
    return opaque(i, what, std::move(operands), Result::FromAccess);
  }
  const std::uint64_t length = llvm::cast<llvm::ConstantInt>(i.getLength())->getZExtValue();
  CHECK(length <= kMaxFollowed, "escape.h let {} bytes pass", length);
  const Operand target = operand_of(i.getRawDest());
  if (const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(&i)) {
    const Operand source = operand_of(copy->getRawSource());
    // All loads before all stores: the two may overlap.
    std::vector<Operand> loaded;
    for_pieces(length, [&](std::uint64_t offset, std::uint64_t bytes) {
      const Operand where = emit(Op::Offset, kPtr, {source}, offset);
      loaded.push_back(emit(Op::Load, integer_of(bytes), {where}));
      out_.blocks[index(current_)].instructions.back().local = true;
    });
    std::size_t next = 0;
    for_pieces(length,
               [&](std::uint64_t offset, std::uint64_t bytes) { local_store(target, offset, bytes, loaded[next++]); });
    return;
  }
  const Operand byte = operand_of(llvm::cast<llvm::MemSetInst>(i).getValue());
  const Operand wide = emit(Op::ZExt, kI64, {byte}, 8);
  const Operand eight = emit(Op::Mul, kI64, {wide, Operand::constant(0x0101'0101'0101'0101)});
  for_pieces(length, [&](std::uint64_t offset, std::uint64_t bytes) {
    local_store(target, offset, bytes, resized(eight, kI64, static_cast<unsigned>(bytes * 8), false));
  });
}

// What a slot held in its last life is not there any more: the back end may have put another one in its place.
void FunctionLowering::forget_local(const llvm::IntrinsicInst& lifetime_start) {
  const auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(lifetime_start.getArgOperand(1)->stripPointerCasts());
  if (alloca == nullptr || !locality_.is_local_pointer(alloca)) return;
  const auto size = alloca->getAllocationSize(module_.layout());
  if (!size || size->isScalable() || size->getFixedValue() > kMaxFollowed) return;
  const Operand base = operand_of(alloca);
  for_pieces(size->getFixedValue(), [&](std::uint64_t offset, std::uint64_t bytes) {
    local_store(base, offset, bytes, unknown(integer_of(bytes), "undef"));
  });
}

}  // namespace racecast::frontend
