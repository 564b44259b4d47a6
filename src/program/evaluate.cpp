// See evaluate.h. Signed arithmetic is done on unsigned numbers, where wrapping is defined; only division, comparison
// and the arithmetic shift look at the sign.
#include "program/evaluate.h"

#include <bit>
#include <cmath>

#include "base/check.h"

namespace racecast::program {
namespace {

double to_double(std::uint64_t bits, unsigned width) {
  return width == 32 ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)))
                     : std::bit_cast<double>(bits);
}
std::uint64_t from_float(float v) {
  return std::bit_cast<std::uint32_t>(v);
}

template <typename F>
F float_arithmetic(Op op, F a, F b) {
  switch (op) {
    case Op::FAdd: return a + b;
    case Op::FSub: return a - b;
    case Op::FMul: return a * b;
    case Op::FDiv: return a / b;
    default: return std::fmod(a, b);
  }
}

// Float and double each in their own arithmetic: a float sum rounded from a double one would differ in rare last bits.
std::uint64_t float_result(Op op, Type type, std::uint64_t a, std::uint64_t b) {
  if (type.bits == 32) {
    return from_float(float_arithmetic(op, std::bit_cast<float>(static_cast<std::uint32_t>(a)),
                                       std::bit_cast<float>(static_cast<std::uint32_t>(b))));
  }
  return std::bit_cast<std::uint64_t>(float_arithmetic(op, std::bit_cast<double>(a), std::bit_cast<double>(b)));
}

Evaluation divide(Op op, unsigned bits, std::uint64_t a, std::uint64_t b) {
  a = low_bits(a, bits);
  b = low_bits(b, bits);
  if (b == 0) return {0, FaultKind::DivisionByZero};
  if (op == Op::UDiv) return {a / b};
  if (op == Op::URem) return {a % b};
  const std::int64_t x = signed_value(a, bits);
  const std::int64_t y = signed_value(b, bits);
  // The smallest number has no positive counterpart, whatever the width (of one bit: -1 / -1).
  if (y == -1 && a == std::uint64_t{1} << (bits - 1)) return {0, FaultKind::DivisionOverflow};
  return {low_bits(static_cast<std::uint64_t>(op == Op::SDiv ? x / y : x % y), bits)};
}

std::uint64_t shift(Op op, unsigned bits, std::uint64_t a, std::uint64_t b) {
  const auto by = static_cast<unsigned>(low_bits(b, bits) % bits);
  if (op == Op::Shl) return low_bits(a << by, bits);
  if (op == Op::LShr) return low_bits(a, bits) >> by;
  return low_bits(static_cast<std::uint64_t>(signed_value(a, bits) >> by), bits);
}

// Truncates towards zero; what does not fit gives 0, as op.def says.
std::uint64_t float_to_integer(double v, unsigned bits, bool is_signed) {
  const double whole = std::trunc(v);
  const double limit = std::ldexp(1.0, static_cast<int>(is_signed ? bits - 1 : bits));
  if (!(whole < limit) || !(whole >= (is_signed ? -limit : 0.0))) return 0;
  return is_signed ? low_bits(static_cast<std::uint64_t>(static_cast<std::int64_t>(whole)), bits)
                   : static_cast<std::uint64_t>(whole);
}

template <typename Integer>
std::uint64_t integer_to_float(Integer v, Type type) {
  // Straight to the final type: by way of double, a float would be rounded twice.
  return type.bits == 32 ? from_float(static_cast<float>(v)) : std::bit_cast<std::uint64_t>(static_cast<double>(v));
}

}  // namespace

std::string_view text_of(FaultKind fault) {
  switch (fault) {
    case FaultKind::None: return "no fault";
    case FaultKind::DivisionByZero: return "division by zero";
    case FaultKind::DivisionOverflow: return "overflow in a division";
    case FaultKind::Null: return "null dereference";
    case FaultKind::OutOfRange: return "index out of range";
    case FaultKind::OutOfBounds: return "access outside any live object";
    case FaultKind::BadFree: return "free of an address that is no live heap object";
    case FaultKind::BadCall: return "call of something that is not a function";
    case FaultKind::BadJoin: return "join of a thread that does not exist";
    case FaultKind::StackOverflow: return "stack overflow";
    case FaultKind::OutOfMemory: return "out of memory";
    case FaultKind::Unreachable: return "unreachable code was reached";
  }
  return "unknown fault";
}

bool is_evaluable(Op op) {
  return (traits_of(op) & Pure) != 0 && op != Op::ArrayLength && op != Op::InstanceOf;
}

Evaluation evaluate(const Instruction& instruction, std::span<const std::uint64_t> operands) {
  const Type type = instruction.type;
  const unsigned bits = type.bits == 0 ? 64 : type.bits;
  const unsigned from_bits = instruction.imm == 0 || instruction.imm > 64 ? 64 : static_cast<unsigned>(instruction.imm);
  const std::uint64_t a = operands.empty() ? 0 : operands[0];
  const std::uint64_t b = operands.size() < 2 ? 0 : operands[1];
  const auto integer = [bits](std::uint64_t v) { return Evaluation{low_bits(v, bits)}; };
  const auto truth = [](bool v) { return Evaluation{v ? 1u : 0u}; };
  switch (instruction.op) {
    case Op::Add: return integer(a + b);
    case Op::Sub: return integer(a - b);
    case Op::Mul: return integer(a * b);
    case Op::SDiv:
    case Op::UDiv:
    case Op::SRem:
    case Op::URem: return divide(instruction.op, bits, a, b);
    case Op::And: return integer(a & b);
    case Op::Or: return integer(a | b);
    case Op::Xor: return integer(a ^ b);
    case Op::Shl:
    case Op::LShr:
    case Op::AShr: return {shift(instruction.op, bits, a, b)};

    case Op::FAdd:
    case Op::FSub:
    case Op::FMul:
    case Op::FDiv:
    case Op::FRem: return {float_result(instruction.op, type, a, b)};
    case Op::FNeg: return integer(a ^ std::uint64_t{1} << (bits - 1));

    case Op::Eq: return truth(low_bits(a, bits) == low_bits(b, bits));
    case Op::Ne: return truth(low_bits(a, bits) != low_bits(b, bits));
    case Op::SLt: return truth(signed_value(a, bits) < signed_value(b, bits));
    case Op::SLe: return truth(signed_value(a, bits) <= signed_value(b, bits));
    case Op::ULt: return truth(low_bits(a, bits) < low_bits(b, bits));
    case Op::ULe: return truth(low_bits(a, bits) <= low_bits(b, bits));
    case Op::FEq: return truth(to_double(a, bits) == to_double(b, bits));
    case Op::FLt: return truth(to_double(a, bits) < to_double(b, bits));
    case Op::FLe: return truth(to_double(a, bits) <= to_double(b, bits));
    case Op::FUnordered: return truth(std::isnan(to_double(a, bits)) || std::isnan(to_double(b, bits)));

    case Op::Trunc: return integer(a);
    case Op::ZExt: return integer(low_bits(a, from_bits));
    case Op::SExt: return integer(static_cast<std::uint64_t>(signed_value(a, from_bits)));
    case Op::FpToSi: return {float_to_integer(to_double(a, from_bits), bits, true)};
    case Op::FpToUi: return {float_to_integer(to_double(a, from_bits), bits, false)};
    case Op::SiToFp: return {integer_to_float(signed_value(a, from_bits), type)};
    case Op::UiToFp: return {integer_to_float(low_bits(a, from_bits), type)};
    case Op::FpCast:
      if (from_bits == type.bits) return integer(a);
      return {type.bits == 32 ? from_float(static_cast<float>(to_double(a, from_bits)))
                              : std::bit_cast<std::uint64_t>(to_double(a, from_bits))};
    case Op::Bitcast: return integer(a);
    case Op::Select: return integer(a != 0 ? b : operands.size() < 3 ? 0 : operands[2]);

    case Op::Offset:
      if (instruction.checked && a == 0) return {0, FaultKind::Null};
      return {a + instruction.imm};
    case Op::Index:
      if (instruction.checked && a == 0) return {0, FaultKind::Null};
      return {a + b * instruction.imm};
    default: break;
  }
  CHECK(false, "{} is not a pure function of its operands", text_of(instruction.op));
}

std::uint64_t apply(Rmw rmw, Type type, std::uint64_t old, std::uint64_t operand) {
  const unsigned bits = type.bits == 0 ? 64 : type.bits;
  const std::uint64_t a = low_bits(old, bits);
  const std::uint64_t b = low_bits(operand, bits);
  const bool less = signed_value(a, bits) < signed_value(b, bits);
  switch (rmw) {
    case Rmw::Exchange: return b;
    case Rmw::Add: return low_bits(a + b, bits);
    case Rmw::Sub: return low_bits(a - b, bits);
    case Rmw::And: return a & b;
    case Rmw::Or: return a | b;
    case Rmw::Xor: return a ^ b;
    case Rmw::Nand: return low_bits(~(a & b), bits);
    case Rmw::SMax: return less ? b : a;
    case Rmw::SMin: return less ? a : b;
    case Rmw::UMax: return a < b ? b : a;
    case Rmw::UMin: return a < b ? a : b;
  }
  CHECK(false, "rmw {}", static_cast<int>(rmw));
}

}  // namespace racecast::program
