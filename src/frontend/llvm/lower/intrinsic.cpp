// Intrinsics: those that do nothing at run time, those that are their argument, and those that a few operations
// compute. All others are opaque and recorded.
#include <llvm/IR/Constants.h>

#include "frontend/llvm/lower/function.h"
#include "frontend/llvm/lower/types.h"
#include "program/evaluate.h"

namespace racecast::frontend {

using program::kI1;
using program::kI64;
using program::Op;
using program::Operand;
using program::Type;
using program::TypeKind;

namespace {

enum class Effect : std::uint8_t { Nothing, FirstArgument, Other };

Effect effect_of(llvm::Intrinsic::ID id) {
  switch (id) {
    case llvm::Intrinsic::assume:
    case llvm::Intrinsic::donothing:
    case llvm::Intrinsic::sideeffect:
    case llvm::Intrinsic::prefetch:
    case llvm::Intrinsic::invariant_end:
    case llvm::Intrinsic::lifetime_end:
    case llvm::Intrinsic::var_annotation:
    case llvm::Intrinsic::experimental_noalias_scope_decl:
    case llvm::Intrinsic::pseudoprobe:
    case llvm::Intrinsic::codeview_annotation:
    case llvm::Intrinsic::stackrestore:
    case llvm::Intrinsic::dbg_assign:
    case llvm::Intrinsic::dbg_declare:
    case llvm::Intrinsic::dbg_label:
    case llvm::Intrinsic::dbg_value: return Effect::Nothing;
    case llvm::Intrinsic::expect:
    case llvm::Intrinsic::expect_with_probability:
    case llvm::Intrinsic::annotation:
    case llvm::Intrinsic::ptr_annotation:
    case llvm::Intrinsic::ssa_copy:
    case llvm::Intrinsic::arithmetic_fence:
    case llvm::Intrinsic::launder_invariant_group:
    case llvm::Intrinsic::strip_invariant_group: return Effect::FirstArgument;
    default: return Effect::Other;
  }
}

}  // namespace

bool FunctionLowering::lower_intrinsic(const llvm::IntrinsicInst& i) {
  switch (effect_of(i.getIntrinsicID())) {
    case Effect::Nothing: return true;
    case Effect::FirstArgument: define_as(i, operand_of(i.getArgOperand(0))); return true;
    case Effect::Other: break;
  }
  if (const auto* memory = llvm::dyn_cast<llvm::MemIntrinsic>(&i)) {
    lower_memory_intrinsic(*memory);
    return true;
  }
  if (i.getIntrinsicID() == llvm::Intrinsic::lifetime_start) {
    forget_local(i);
    return true;
  }
  if (const auto* overflow = llvm::dyn_cast<llvm::WithOverflowInst>(&i)) return lower_overflow(*overflow);
  const auto type = scalar_type(i.getType());
  for (const llvm::Value* argument : i.args()) {
    if (!scalar_type(argument->getType())) return false;
  }
  return type && compute_intrinsic(i, *type);
}

// All arguments and the result are narrow.
bool FunctionLowering::compute_intrinsic(const llvm::IntrinsicInst& i, Type type) {
  const auto argument = [&](unsigned k) { return operand_of(i.getArgOperand(k)); };
  const auto choose = [&](Op compare) {
    const Operand a = argument(0);
    const Operand b = argument(1);
    define(i, Op::Select, type, {emit(compare, type, {a, b}), a, b});
    return true;
  };
  const auto choose_other = [&](Op compare) {  // the greater one
    const Operand a = argument(0);
    const Operand b = argument(1);
    define(i, Op::Select, type, {emit(compare, type, {a, b}), b, a});
    return true;
  };
  // A float's bits, changed by `change`.
  const auto on_bits = [&](auto change) {
    if (type.kind != TypeKind::Float) return false;
    const Type bits{TypeKind::Int, type.bits};
    const Operand changed = change(bits, std::uint64_t{1} << (type.bits - 1));
    define(i, Op::Bitcast, type, {changed});
    return true;
  };
  switch (i.getIntrinsicID()) {
    case llvm::Intrinsic::smin: return choose(Op::SLt);
    case llvm::Intrinsic::umin: return choose(Op::ULt);
    case llvm::Intrinsic::smax: return choose_other(Op::SLt);
    case llvm::Intrinsic::umax: return choose_other(Op::ULt);
    case llvm::Intrinsic::abs: {
      const Operand a = argument(0);
      const Operand negative = emit(Op::SLt, type, {a, Operand::constant(0)});
      const Operand negated = emit(Op::Sub, type, {Operand::constant(0), a});
      define(i, Op::Select, type, {negative, negated, a});
      return true;
    }
    case llvm::Intrinsic::scmp:
    case llvm::Intrinsic::ucmp: {
      const Type from = *scalar_type(i.getArgOperand(0)->getType());
      const Op less = i.getIntrinsicID() == llvm::Intrinsic::scmp ? Op::SLt : Op::ULt;
      const Operand a = argument(0);
      const Operand b = argument(1);
      const Operand above = emit(Op::ZExt, type, {emit(less, from, {b, a})}, 1);
      const Operand below = emit(Op::ZExt, type, {emit(less, from, {a, b})}, 1);
      define(i, Op::Sub, type, {above, below});
      return true;
    }
    case llvm::Intrinsic::fabs:
      return on_bits([&](Type bits, std::uint64_t sign) {
        const Operand a = emit(Op::Bitcast, bits, {argument(0)});
        return emit(Op::And, bits, {a, Operand::constant(program::low_bits(~sign, bits.bits))});
      });
    case llvm::Intrinsic::copysign:
      return on_bits([&](Type bits, std::uint64_t sign) {
        const Operand a = emit(Op::Bitcast, bits, {argument(0)});
        const Operand b = emit(Op::Bitcast, bits, {argument(1)});
        const Operand magnitude = emit(Op::And, bits, {a, Operand::constant(program::low_bits(~sign, bits.bits))});
        return emit(Op::Or, bits, {magnitude, emit(Op::And, bits, {b, Operand::constant(sign)})});
      });
    case llvm::Intrinsic::ptrmask: {
      const Operand pointer = argument(0);
      if (scalar_type(i.getArgOperand(1)->getType()) != kI64) return false;
      define(i, Op::And, kI64, {pointer, argument(1)});
      return true;
    }
    case llvm::Intrinsic::is_constant:
      // As the back end decides it, for what is not constant by now.
      define_as(i, Operand::constant(llvm::isa<llvm::Constant>(i.getArgOperand(0)) ? 1 : 0));
      return true;
    case llvm::Intrinsic::uadd_sat:
    case llvm::Intrinsic::usub_sat:
    case llvm::Intrinsic::sadd_sat:
    case llvm::Intrinsic::ssub_sat: define_as(i, saturated(i, type)); return true;
    case llvm::Intrinsic::fshl:
    case llvm::Intrinsic::fshr: define_as(i, funnel_shift(i, type)); return true;
    case llvm::Intrinsic::bswap:
      if (type.bits != 16 && type.bits != 32 && type.bits != 64) return false;
      define_as(i, swap_bytes(argument(0), type));
      return true;
    case llvm::Intrinsic::ctpop: define_as(i, count_ones(argument(0), type)); return true;
    case llvm::Intrinsic::ctlz: define_as(i, leading_zeros(argument(0), type)); return true;
    case llvm::Intrinsic::cttz: define_as(i, trailing_zeros(argument(0), type)); return true;
    default: return false;
  }
}

// Does `result` = a op b, wrapped, differ from the true one?
Operand FunctionLowering::overflows(llvm::Instruction::BinaryOps op, bool is_signed, Type type, Operand a, Operand b,
                                    Operand result) {
  if (op == llvm::Instruction::Mul) {
    // In twice the width it is exact.
    const Operand exact = emit(Op::Mul, kI64, {resized(a, type, 64, is_signed), resized(b, type, 64, is_signed)});
    return emit(Op::Ne, kI64, {exact, resized(result, type, 64, is_signed)});
  }
  const bool adds = op == llvm::Instruction::Add;
  if (!is_signed) return adds ? emit(Op::ULt, type, {result, a}) : emit(Op::ULt, type, {a, b});
  // a + b overflows where the result's sign is neither a's nor b's; a - b where a's is neither b's nor the result's.
  const Operand other = adds ? result : a;
  const Operand x = emit(Op::Xor, type, {other, adds ? a : b});
  const Operand y = emit(Op::Xor, type, {other, adds ? b : result});
  return emit(Op::SLt, type, {emit(Op::And, type, {x, y}), Operand::constant(0)});
}

bool FunctionLowering::lower_overflow(const llvm::WithOverflowInst& i) {
  if (!has_element_register(i, 0)) return false;
  const Type type = *scalar_type(i.getLHS()->getType());
  const Operand a = operand_of(i.getLHS());
  const Operand b = operand_of(i.getRHS());
  const Op op = i.getBinaryOp() == llvm::Instruction::Add   ? Op::Add
                : i.getBinaryOp() == llvm::Instruction::Sub ? Op::Sub
                                                            : Op::Mul;
  const program::RegId result = register_of(&i, 0);
  append(op, type, {a, b}).result = result;
  if (has_element_register(i, 1)) {
    const Operand overflow = overflows(i.getBinaryOp(), i.isSigned(), type, a, b, Operand::reg(result));
    append(Op::Bitcast, kI1, {overflow}).result = register_of(&i, 1);
  }
  define_pair(i);
  return true;
}

Operand FunctionLowering::saturated(const llvm::IntrinsicInst& i, Type type) {
  const auto& saturating = llvm::cast<llvm::SaturatingInst>(i);
  const Operand a = operand_of(i.getArgOperand(0));
  const Operand b = operand_of(i.getArgOperand(1));
  const bool adds = saturating.getBinaryOp() == llvm::Instruction::Add;
  const Operand wrapped = emit(adds ? Op::Add : Op::Sub, type, {a, b});
  const Operand overflow = overflows(saturating.getBinaryOp(), saturating.isSigned(), type, a, b, wrapped);
  const std::uint64_t ones = program::low_bits(~std::uint64_t{0}, type.bits);
  Operand bound = Operand::constant(adds ? ones : 0);
  if (saturating.isSigned()) {
    // The bound on a's side: all ones but the sign, inverted where a is negative.
    const Operand sign = emit(Op::AShr, type, {a, Operand::constant(type.bits - 1u)});
    bound = emit(Op::Xor, type, {sign, Operand::constant(ones >> 1)});
  }
  return emit(Op::Select, type, {overflow, bound, wrapped});
}

}  // namespace racecast::frontend
