// What computes: arithmetic, comparisons, casts, address arithmetic, and elements of pairs. Exact, or opaque:
// floating-point operations that the back end may still rearrange (fast-math) are recorded, not computed.
#include <llvm/ADT/MapVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Operator.h>

#include "frontend/llvm/lower/function.h"
#include "frontend/llvm/lower/types.h"

namespace racecast::frontend {

using program::kI1;
using program::kI64;
using program::kPtr;
using program::Op;
using program::Operand;
using program::Type;
using program::TypeKind;

namespace {

std::optional<Op> binary_op(unsigned opcode) {
  switch (opcode) {
    case llvm::Instruction::Add: return Op::Add;
    case llvm::Instruction::Sub: return Op::Sub;
    case llvm::Instruction::Mul: return Op::Mul;
    case llvm::Instruction::SDiv: return Op::SDiv;
    case llvm::Instruction::UDiv: return Op::UDiv;
    case llvm::Instruction::SRem: return Op::SRem;
    case llvm::Instruction::URem: return Op::URem;
    case llvm::Instruction::And: return Op::And;
    case llvm::Instruction::Or: return Op::Or;
    case llvm::Instruction::Xor: return Op::Xor;
    case llvm::Instruction::Shl: return Op::Shl;
    case llvm::Instruction::LShr: return Op::LShr;
    case llvm::Instruction::AShr: return Op::AShr;
    case llvm::Instruction::FAdd: return Op::FAdd;
    case llvm::Instruction::FSub: return Op::FSub;
    case llvm::Instruction::FMul: return Op::FMul;
    case llvm::Instruction::FDiv: return Op::FDiv;
    case llvm::Instruction::FRem: return Op::FRem;
    default: return std::nullopt;
  }
}

bool may_be_rearranged(const llvm::Instruction& i) {
  const auto* math = llvm::dyn_cast<llvm::FPMathOperator>(&i);
  return math != nullptr && (math->hasAllowReassoc() || math->hasAllowReciprocal() || math->hasAllowContract() ||
                             math->hasApproxFunc() || math->hasNoSignedZeros());
}

bool is_float(Type type) {
  return type.kind == TypeKind::Float;
}

// The value that a chain of insertvalue put at `indices`; null where that cannot be told in a few steps.
const llvm::Value* inserted_value(const llvm::Value* aggregate, llvm::ArrayRef<unsigned> indices) {
  constexpr int kMaxSteps = 32;
  for (int step = 0; step < kMaxSteps; ++step) {
    if (const auto* constant = llvm::dyn_cast<llvm::Constant>(aggregate)) {
      for (const unsigned k : indices) {
        if (constant != nullptr) constant = constant->getAggregateElement(k);
      }
      return constant;
    }
    const auto* insert = llvm::dyn_cast<llvm::InsertValueInst>(aggregate);
    if (insert == nullptr) return nullptr;
    if (insert->getIndices() == indices) return insert->getInsertedValueOperand();
    const std::size_t common = std::min(insert->getIndices().size(), indices.size());
    if (insert->getIndices().take_front(common) == indices.take_front(common)) return nullptr;  // part of it
    aggregate = insert->getAggregateOperand();
  }
  return nullptr;
}

// Is all that is ever taken of this chain of insertvalue known by inserted_value()? Then nobody needs the chain itself.
bool is_seen_through(const llvm::InsertValueInst& insert) {
  constexpr std::size_t kMaxChain = 32;
  std::vector<const llvm::Instruction*> chain{&insert};
  for (std::size_t next = 0; next < chain.size(); ++next) {
    for (const llvm::User* user : chain[next]->users()) {
      if (const auto* extract = llvm::dyn_cast<llvm::ExtractValueInst>(user)) {
        const llvm::Value* value = inserted_value(extract->getAggregateOperand(), extract->getIndices());
        if (value == nullptr || value->getType() != extract->getType()) return false;
      } else if (llvm::isa<llvm::InsertValueInst>(user) && user->getOperand(1) != chain[next]) {
        if (chain.size() == kMaxChain) return false;
        chain.push_back(llvm::cast<llvm::Instruction>(user));
      } else {
        return false;
      }
    }
  }
  return true;
}

}  // namespace

void FunctionLowering::lower(const llvm::Instruction& i) {
  if (i.isDebugOrPseudoInst()) return;
  using llvm::cast;
  switch (i.getOpcode()) {
    case llvm::Instruction::ICmp: return lower_compare(cast<llvm::ICmpInst>(i));
    case llvm::Instruction::FCmp: return lower_compare(cast<llvm::FCmpInst>(i));
    case llvm::Instruction::Select: return lower_select(cast<llvm::SelectInst>(i));
    case llvm::Instruction::ExtractValue: return lower_extract(cast<llvm::ExtractValueInst>(i));
    case llvm::Instruction::Freeze: return define_as(i, operand_of(i.getOperand(0)));
    case llvm::Instruction::Alloca: return lower_alloca(cast<llvm::AllocaInst>(i));
    case llvm::Instruction::Load: return lower_load(cast<llvm::LoadInst>(i));
    case llvm::Instruction::Store: return lower_store(cast<llvm::StoreInst>(i));
    case llvm::Instruction::AtomicRMW: return lower_rmw(cast<llvm::AtomicRMWInst>(i));
    case llvm::Instruction::AtomicCmpXchg: return lower_cas(cast<llvm::AtomicCmpXchgInst>(i));
    case llvm::Instruction::Fence: return lower_fence(cast<llvm::FenceInst>(i));
    case llvm::Instruction::Call: return lower_call(cast<llvm::CallBase>(i));
    case llvm::Instruction::InsertValue:
      if (is_seen_through(cast<llvm::InsertValueInst>(i))) return;
      break;
    case llvm::Instruction::GetElementPtr:
      if (const auto made = address(cast<llvm::GEPOperator>(i))) return define_as(i, *made);
      break;
    case llvm::Instruction::FNeg:
      if (const auto type = scalar_type(i.getType()); type && is_float(*type)) {
        return define(i, Op::FNeg, *type, {operand_of(i.getOperand(0))});
      }
      break;
    default:
      if (const auto* binary = llvm::dyn_cast<llvm::BinaryOperator>(&i)) return lower_binary(*binary);
      if (i.isCast()) {
        const bool rearranged = may_be_rearranged(i);
        const auto made = rearranged ? std::nullopt : this->cast(i.getOpcode(), i.getOperand(0), i.getType());
        if (made) return define_as(i, *made);
      }
      break;
  }
  opaque(i, i.getOpcodeName());
}

void FunctionLowering::lower_binary(const llvm::BinaryOperator& i) {
  const auto type = scalar_type(i.getType());
  const auto op = binary_op(i.getOpcode());
  // A half is a float to LLVM and 16 bits to us.
  if (!type || !op || i.getType()->isFloatingPointTy() != is_float(*type) || may_be_rearranged(i)) {
    return opaque(i, i.getOpcodeName());
  }
  const Operand a = operand_of(i.getOperand(0));
  const Operand b = operand_of(i.getOperand(1));
  define(i, *op, *type, {a, b});
}

void FunctionLowering::lower_compare(const llvm::ICmpInst& i) {
  const auto type = scalar_type(i.getOperand(0)->getType());
  if (!type) return opaque(i, "icmp");
  const Operand a = operand_of(i.getOperand(0));
  const Operand b = operand_of(i.getOperand(1));
  switch (i.getPredicate()) {
    case llvm::CmpInst::ICMP_EQ: return define(i, Op::Eq, *type, {a, b});
    case llvm::CmpInst::ICMP_NE: return define(i, Op::Ne, *type, {a, b});
    case llvm::CmpInst::ICMP_SLT: return define(i, Op::SLt, *type, {a, b});
    case llvm::CmpInst::ICMP_SLE: return define(i, Op::SLe, *type, {a, b});
    case llvm::CmpInst::ICMP_SGT: return define(i, Op::SLt, *type, {b, a});
    case llvm::CmpInst::ICMP_SGE: return define(i, Op::SLe, *type, {b, a});
    case llvm::CmpInst::ICMP_ULT: return define(i, Op::ULt, *type, {a, b});
    case llvm::CmpInst::ICMP_ULE: return define(i, Op::ULe, *type, {a, b});
    case llvm::CmpInst::ICMP_UGT: return define(i, Op::ULt, *type, {b, a});
    case llvm::CmpInst::ICMP_UGE: return define(i, Op::ULe, *type, {b, a});
    default: return opaque(i, "icmp");
  }
}

Operand FunctionLowering::invert(Operand bit) {
  return emit(Op::Xor, kI1, {bit, Operand::constant(1)});
}

void FunctionLowering::lower_compare(const llvm::FCmpInst& i) {
  const auto type = scalar_type(i.getOperand(0)->getType());
  if (!type || !is_float(*type)) return opaque(i, "fcmp");
  const Operand a = operand_of(i.getOperand(0));
  const Operand b = operand_of(i.getOperand(1));
  const auto compare = [&](Op op, Operand x, Operand y) { return emit(op, *type, {x, y}); };
  const auto either = [&](Operand x, Operand y) { return emit(Op::Or, kI1, {x, y}); };
  const auto result = [&]() -> Operand {
    switch (i.getPredicate()) {
      case llvm::CmpInst::FCMP_FALSE: return Operand::constant(0);
      case llvm::CmpInst::FCMP_TRUE: return Operand::constant(1);
      case llvm::CmpInst::FCMP_OEQ: return compare(Op::FEq, a, b);
      case llvm::CmpInst::FCMP_OGT: return compare(Op::FLt, b, a);
      case llvm::CmpInst::FCMP_OGE: return compare(Op::FLe, b, a);
      case llvm::CmpInst::FCMP_OLT: return compare(Op::FLt, a, b);
      case llvm::CmpInst::FCMP_OLE: return compare(Op::FLe, a, b);
      case llvm::CmpInst::FCMP_ONE: return either(compare(Op::FLt, a, b), compare(Op::FLt, b, a));
      case llvm::CmpInst::FCMP_ORD: return invert(compare(Op::FUnordered, a, b));
      case llvm::CmpInst::FCMP_UNO: return compare(Op::FUnordered, a, b);
      case llvm::CmpInst::FCMP_UEQ: return either(compare(Op::FEq, a, b), compare(Op::FUnordered, a, b));
      case llvm::CmpInst::FCMP_UGT: return invert(compare(Op::FLe, a, b));
      case llvm::CmpInst::FCMP_UGE: return invert(compare(Op::FLt, a, b));
      case llvm::CmpInst::FCMP_ULT: return invert(compare(Op::FLe, b, a));
      case llvm::CmpInst::FCMP_ULE: return invert(compare(Op::FLt, b, a));
      default: return invert(compare(Op::FEq, a, b));  // FCMP_UNE
    }
  }();
  define_as(i, result);
}

void FunctionLowering::lower_select(const llvm::SelectInst& i) {
  if (!i.getCondition()->getType()->isIntegerTy(1)) return opaque(i, "select");
  const Operand condition = operand_of(i.getCondition());
  const Operand yes = operand_of(i.getTrueValue());
  const Operand no = operand_of(i.getFalseValue());
  define(i, Op::Select, scalar_type(i.getType()).value_or(kI64), {condition, yes, no});
}

// The low `bits` bits of an integer, or all of it with zeros or the sign above.
Operand FunctionLowering::resized(Operand value, Type from, unsigned bits, bool is_signed) {
  if (from.bits == bits) return value;
  const Type to{TypeKind::Int, static_cast<std::uint8_t>(bits)};
  return emit(bits < from.bits ? Op::Trunc : is_signed ? Op::SExt : Op::ZExt, to, {value}, from.bits);
}

// nullopt: a cast of or to something wide, or a half.
std::optional<Operand> FunctionLowering::cast(unsigned opcode, const llvm::Value* from, const llvm::Type* to) {
  const auto source = scalar_type(from->getType());
  const auto target = scalar_type(to);
  if (!source || !target) return std::nullopt;
  const bool float_source = from->getType()->isFloatingPointTy();
  const bool float_target = to->isFloatingPointTy();
  if (opcode != llvm::Instruction::BitCast &&
      (float_source != is_float(*source) || float_target != is_float(*target))) {
    return std::nullopt;
  }
  const Operand value = operand_of(from);
  const auto make = [&](Op op) { return emit(op, *target, {value}, source->bits); };
  switch (opcode) {
    case llvm::Instruction::Trunc: return make(Op::Trunc);
    case llvm::Instruction::ZExt: return make(Op::ZExt);
    case llvm::Instruction::SExt: return make(Op::SExt);
    case llvm::Instruction::FPToSI: return make(Op::FpToSi);
    case llvm::Instruction::FPToUI: return make(Op::FpToUi);
    case llvm::Instruction::SIToFP: return make(Op::SiToFp);
    case llvm::Instruction::UIToFP: return make(Op::UiToFp);
    case llvm::Instruction::FPTrunc:
    case llvm::Instruction::FPExt: return make(Op::FpCast);
    case llvm::Instruction::PtrToInt:
    case llvm::Instruction::IntToPtr:
      if (source->bits == target->bits) return emit(Op::Bitcast, *target, {value});
      return make(source->bits > target->bits ? Op::Trunc : Op::ZExt);
    case llvm::Instruction::BitCast: return emit(Op::Bitcast, *target, {value});
    default: return std::nullopt;
  }
}

// Base, plus each index times its size, plus a constant. nullopt: vectors of pointers, sizes that are not constant.
std::optional<Operand> FunctionLowering::address(const llvm::GEPOperator& gep) {
  if (scalar_type(gep.getType()) != kPtr || scalar_type(gep.getPointerOperandType()) != kPtr) return std::nullopt;
  llvm::MapVector<llvm::Value*, llvm::APInt> scales;
  llvm::APInt constant(64, 0);
  if (!gep.collectOffset(module_.layout(), 64, scales, constant)) return std::nullopt;
  for (const auto& [index, scale] : scales) {
    if (!scalar_type(index->getType())) return std::nullopt;
  }
  Operand made = operand_of(gep.getPointerOperand());
  for (const auto& [index, scale] : scales) {
    const Operand wide = resized(operand_of(index), *scalar_type(index->getType()), 64, true);
    made = emit(Op::Index, kPtr, {made, wide}, scale.getZExtValue());
  }
  if (!constant.isZero() || scales.empty()) made = emit(Op::Offset, kPtr, {made}, constant.getZExtValue());
  return made;
}

bool has_element_register(const llvm::Value& value, unsigned element) {
  if (const auto* overflow = llvm::dyn_cast<llvm::WithOverflowInst>(&value)) {
    const auto type = scalar_type(overflow->getLHS()->getType());
    // Whether a product of more than 32 bits overflows takes too many steps.
    return type && (element == 0 || type->bits <= 32 || overflow->getBinaryOp() != llvm::Instruction::Mul);
  }
  if (const auto* cas = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&value)) {
    const auto type = scalar_type(cas->getCompareOperand()->getType());
    return type && is_atomic_width(*type) && scalar_type(cas->getPointerOperand()->getType()) == kPtr;
  }
  return false;
}

void FunctionLowering::lower_extract(const llvm::ExtractValueInst& i) {
  const llvm::Value* aggregate = i.getAggregateOperand();
  if (i.getNumIndices() == 1 && has_element_register(*aggregate, i.getIndices()[0])) {
    return define_as(i, Operand::reg(register_of(aggregate, i.getIndices()[0])));
  }
  const llvm::Value* inserted = inserted_value(aggregate, i.getIndices());
  if (inserted != nullptr && inserted->getType() == i.getType()) {
    return define_as(i, operand_of(inserted));
  }
  opaque(i, "extractvalue");
}

}  // namespace racecast::frontend
