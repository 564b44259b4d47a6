// Pure operations against the machine's own arithmetic, and the corners where widths and signs meet.
#include "program/evaluate.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace racecast::program {
namespace {

Type int_type(unsigned bits) {
  return {TypeKind::Int, static_cast<std::uint8_t>(bits)};
}
constexpr Type kF32{TypeKind::Float, 32};
constexpr Type kF64{TypeKind::Float, 64};

Evaluation run(Op op, Type type, std::initializer_list<std::uint64_t> operands, std::uint64_t imm = 0,
               bool checked = false) {
  Instruction i;
  i.op = op;
  i.type = type;
  i.imm = imm;
  i.checked = checked;
  return evaluate(i, std::span(operands.begin(), operands.size()));
}
std::uint64_t value(Op op, Type type, std::initializer_list<std::uint64_t> operands, std::uint64_t imm = 0) {
  const Evaluation e = run(op, type, operands, imm);
  EXPECT_EQ(e.fault, FaultKind::None) << text_of(op);
  return e.value;
}
std::uint64_t bits_of(double v) {
  return std::bit_cast<std::uint64_t>(v);
}
std::uint64_t bits_of(float v) {
  return std::bit_cast<std::uint32_t>(v);
}

TEST(Evaluate, WrapsAtEveryWidth) {
  for (unsigned n = 1; n <= 64; ++n) {
    const std::uint64_t max = low_bits(~std::uint64_t{0}, n);
    EXPECT_EQ(value(Op::Add, int_type(n), {max, 1}), 0u) << n;
    EXPECT_EQ(value(Op::Sub, int_type(n), {0, 1}), max) << n;
    EXPECT_EQ(value(Op::Mul, int_type(n), {max, max}), 1u) << n;  // -1 * -1
    EXPECT_EQ(value(Op::Xor, int_type(n), {max, 0}), max) << n;
    // What lies above the width of an operand does not matter.
    EXPECT_EQ(value(Op::Eq, int_type(n), {n == 64 ? 3 : 3 | std::uint64_t{1} << n, 3}), 1u) << n;
  }
}

// Every pair of values of every width up to 5, against arithmetic done in a wide integer.
TEST(Evaluate, SmallWidthsExhaustively) {
  for (unsigned n = 1; n <= 5; ++n) {
    const std::uint64_t end = std::uint64_t{1} << n;
    for (std::uint64_t a = 0; a < end; ++a) {
      for (std::uint64_t b = 0; b < end; ++b) {
        const auto sa = static_cast<std::int64_t>(a >= end / 2 ? a - end : a);
        const auto sb = static_cast<std::int64_t>(b >= end / 2 ? b - end : b);
        const Type t = int_type(n);
        const auto wrap = [&](std::int64_t v) { return static_cast<std::uint64_t>(v) & (end - 1); };
        EXPECT_EQ(signed_value(a, n), sa);
        EXPECT_EQ(value(Op::Add, t, {a, b}), wrap(sa + sb));
        EXPECT_EQ(value(Op::Sub, t, {a, b}), wrap(sa - sb));
        EXPECT_EQ(value(Op::Mul, t, {a, b}), wrap(sa * sb));
        EXPECT_EQ(value(Op::SLt, t, {a, b}), sa < sb ? 1u : 0u);
        EXPECT_EQ(value(Op::SLe, t, {a, b}), sa <= sb ? 1u : 0u);
        EXPECT_EQ(value(Op::ULt, t, {a, b}), a < b ? 1u : 0u);
        EXPECT_EQ(value(Op::ULe, t, {a, b}), a <= b ? 1u : 0u);
        EXPECT_EQ(value(Op::Ne, t, {a, b}), a != b ? 1u : 0u);
        EXPECT_EQ(value(Op::And, t, {a, b}), a & b);
        EXPECT_EQ(value(Op::Or, t, {a, b}), a | b);
        EXPECT_EQ(value(Op::Shl, t, {a, b}), wrap(static_cast<std::int64_t>(a << b % n)));
        EXPECT_EQ(value(Op::LShr, t, {a, b}), a >> b % n);
        EXPECT_EQ(value(Op::AShr, t, {a, b}), wrap(sa >> b % n));
        for (const Op op : {Op::SDiv, Op::SRem, Op::UDiv, Op::URem}) {
          const bool is_signed = op == Op::SDiv || op == Op::SRem;
          const Evaluation e = run(op, t, {a, b});
          if (b == 0) {
            EXPECT_EQ(e.fault, FaultKind::DivisionByZero);
          } else if (is_signed && sb == -1 && a == end / 2) {
            EXPECT_EQ(e.fault, FaultKind::DivisionOverflow) << n;
          } else {
            EXPECT_EQ(e.fault, FaultKind::None);
            const std::uint64_t expected = op == Op::SDiv   ? wrap(sa / sb)
                                           : op == Op::SRem ? wrap(sa % sb)
                                           : op == Op::UDiv ? a / b
                                                            : a % b;
            EXPECT_EQ(e.value, expected) << text_of(op) << " " << n << " " << sa << " " << sb;
          }
        }
      }
    }
  }
}

TEST(Evaluate, WideDivision) {
  const auto min64 = std::uint64_t{1} << 63;
  EXPECT_EQ(run(Op::SDiv, kI64, {min64, ~std::uint64_t{0}}).fault, FaultKind::DivisionOverflow);
  EXPECT_EQ(run(Op::SRem, kI64, {min64, ~std::uint64_t{0}}).fault, FaultKind::DivisionOverflow);
  EXPECT_EQ(value(Op::UDiv, kI64, {min64, ~std::uint64_t{0}}), 0u);
  EXPECT_EQ(value(Op::SDiv, kI64, {static_cast<std::uint64_t>(-7), 2}), static_cast<std::uint64_t>(-3));
  EXPECT_EQ(value(Op::SRem, kI64, {static_cast<std::uint64_t>(-7), 2}), static_cast<std::uint64_t>(-1));
  EXPECT_EQ(run(Op::SDiv, int_type(32), {0x80000000, 0xffffffff}).fault, FaultKind::DivisionOverflow);
  // The upper half of the divisor is not part of it.
  EXPECT_EQ(run(Op::UDiv, int_type(32), {5, std::uint64_t{1} << 32}).fault, FaultKind::DivisionByZero);
}

TEST(Evaluate, ShiftsModuloWidth) {
  EXPECT_EQ(value(Op::Shl, kI64, {1, 64}), 1u);
  EXPECT_EQ(value(Op::Shl, kI64, {1, 67}), 8u);
  EXPECT_EQ(value(Op::Shl, int_type(24), {1, 25}), 2u);
  EXPECT_EQ(value(Op::AShr, int_type(8), {0x80, 15}), 0xffu);
  EXPECT_EQ(value(Op::LShr, int_type(8), {0x80, 15}), 1u);
  EXPECT_EQ(value(Op::AShr, int_type(1), {1, 1}), 1u);
}

TEST(Evaluate, FloatsAreRealFloats) {
  std::mt19937_64 random(7);
  for (int k = 0; k < 2000; ++k) {
    const auto a = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    const auto b = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (std::isnan(a) || std::isnan(b)) continue;
    const auto same = [&](Op op, float expected) {
      const std::uint64_t got = value(op, kF32, {bits_of(a), bits_of(b)});
      EXPECT_EQ(got >> 32, 0u);
      if (!std::isnan(expected)) EXPECT_EQ(got, bits_of(expected)) << text_of(op) << " " << a << " " << b;
    };
    same(Op::FAdd, a + b);
    same(Op::FSub, a - b);
    same(Op::FMul, a * b);
    same(Op::FDiv, a / b);
    same(Op::FRem, std::fmod(a, b));
  }
  EXPECT_EQ(value(Op::FDiv, kF64, {bits_of(1.0), bits_of(0.0)}), bits_of(std::numeric_limits<double>::infinity()));
  EXPECT_EQ(value(Op::FNeg, kF64, {bits_of(0.0)}), bits_of(-0.0));
  EXPECT_EQ(value(Op::FNeg, kF32, {bits_of(1.5f)}), bits_of(-1.5f));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(value(Op::FEq, kF64, {bits_of(nan), bits_of(nan)}), 0u);
  EXPECT_EQ(value(Op::FLt, kF64, {bits_of(nan), bits_of(1.0)}), 0u);
  EXPECT_EQ(value(Op::FLe, kF64, {bits_of(nan), bits_of(1.0)}), 0u);
  EXPECT_EQ(value(Op::FLe, kF64, {bits_of(1.0), bits_of(1.0)}), 1u);
  EXPECT_EQ(value(Op::FLe, kF64, {bits_of(2.0), bits_of(1.0)}), 0u);
  EXPECT_EQ(value(Op::FUnordered, kF64, {bits_of(1.0), bits_of(nan)}), 1u);
  EXPECT_EQ(value(Op::FEq, kF64, {bits_of(0.0), bits_of(-0.0)}), 1u);
}

TEST(Evaluate, Casts) {
  EXPECT_EQ(value(Op::Trunc, int_type(8), {0x1ff}, 64), 0xffu);
  EXPECT_EQ(value(Op::ZExt, kI64, {0xff80}, 8), 0x80u);
  EXPECT_EQ(value(Op::SExt, kI64, {0x80}, 8), static_cast<std::uint64_t>(-128));
  EXPECT_EQ(value(Op::SExt, int_type(16), {1}, 1), 0xffffu);
  EXPECT_EQ(value(Op::FpToSi, int_type(8), {bits_of(-128.9)}, 64), 0x80u);
  EXPECT_EQ(value(Op::FpToSi, int_type(8), {bits_of(128.0)}, 64), 0u) << "out of range gives 0";
  EXPECT_EQ(value(Op::FpToSi, kI64, {bits_of(9223372036854775808.0)}, 64), 0u);
  EXPECT_EQ(value(Op::FpToSi, kI64, {bits_of(std::nan(""))}, 64), 0u);
  EXPECT_EQ(value(Op::FpToUi, kI64, {bits_of(18446744073709549568.0)}, 64), 18446744073709549568u);
  EXPECT_EQ(value(Op::FpToUi, kI64, {bits_of(-0.5)}, 64), 0u);
  EXPECT_EQ(value(Op::FpToUi, int_type(8), {bits_of(255.5f)}, 32), 255u);
  EXPECT_EQ(value(Op::SiToFp, kF64, {0xff}, 8), bits_of(-1.0));
  EXPECT_EQ(value(Op::UiToFp, kF64, {0xff}, 8), bits_of(255.0));
  // 2^24 + 1 + a little: through double this would be rounded twice.
  EXPECT_EQ(value(Op::SiToFp, kF32, {(std::uint64_t{1} << 54) + (std::uint64_t{1} << 30) + 1}, 64),
            bits_of(static_cast<float>((std::int64_t{1} << 54) + (std::int64_t{1} << 30) + 1)));
  EXPECT_EQ(value(Op::FpCast, kF32, {bits_of(0.1)}, 64), bits_of(0.1f));
  EXPECT_EQ(value(Op::FpCast, kF64, {bits_of(0.1f)}, 32), bits_of(static_cast<double>(0.1f)));
  EXPECT_EQ(value(Op::Bitcast, kPtr, {kHeapBase}, 64), kHeapBase);
  EXPECT_EQ(value(Op::Select, kI64, {1, 5, 6}), 5u);
  EXPECT_EQ(value(Op::Select, kI64, {0, 5, 6}), 6u);
}

TEST(Evaluate, Addresses) {
  EXPECT_EQ(value(Op::Offset, kPtr, {100}, 8), 108u);
  EXPECT_EQ(value(Op::Offset, kPtr, {0}, 8), 8u) << "unchecked, as in C";
  EXPECT_EQ(run(Op::Offset, kPtr, {0}, 8, true).fault, FaultKind::Null);
  EXPECT_EQ(value(Op::Index, kPtr, {100, static_cast<std::uint64_t>(-2)}, 8), 84u);
  EXPECT_EQ(run(Op::Index, kPtr, {0, 1}, 8, true).fault, FaultKind::Null);
  EXPECT_TRUE(is_evaluable(Op::Index));
  EXPECT_FALSE(is_evaluable(Op::ArrayLength));
  EXPECT_FALSE(is_evaluable(Op::Load));
  EXPECT_FALSE(is_evaluable(Op::Phi));
}

TEST(Evaluate, ReadModifyWrite) {
  const Type t = int_type(8);
  EXPECT_EQ(apply(Rmw::Exchange, t, 1, 2), 2u);
  EXPECT_EQ(apply(Rmw::Add, t, 0xff, 1), 0u);
  EXPECT_EQ(apply(Rmw::Sub, t, 0, 1), 0xffu);
  EXPECT_EQ(apply(Rmw::And, t, 6, 3), 2u);
  EXPECT_EQ(apply(Rmw::Or, t, 6, 3), 7u);
  EXPECT_EQ(apply(Rmw::Xor, t, 6, 3), 5u);
  EXPECT_EQ(apply(Rmw::Nand, t, 6, 3), 0xfdu);
  EXPECT_EQ(apply(Rmw::SMax, t, 0xff, 1), 1u);
  EXPECT_EQ(apply(Rmw::SMin, t, 0xff, 1), 0xffu);
  EXPECT_EQ(apply(Rmw::UMax, t, 0xff, 1), 0xffu);
  EXPECT_EQ(apply(Rmw::UMin, t, 0xff, 1), 1u);
}

TEST(Evaluate, FunctionAddresses) {
  EXPECT_EQ(function_at(function_address(FunctionId{3}), 4), FunctionId{3});
  EXPECT_EQ(function_at(function_address(FunctionId{4}), 4), std::nullopt);
  EXPECT_EQ(function_at(function_address(FunctionId{1}) + 1, 4), std::nullopt);
  EXPECT_EQ(function_at(0, 4), std::nullopt);
}

}  // namespace
}  // namespace racecast::program
