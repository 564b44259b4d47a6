// Intrinsics that move or count bits, in the operations that the model has. The ways to do it are from Warren's
// «Hacker's Delight»; counts are made in 64 bits, whatever the width.
#include "frontend/llvm/lower/function.h"
#include "frontend/llvm/lower/types.h"
#include "program/evaluate.h"

namespace racecast::frontend {

using program::kI64;
using program::Op;
using program::Operand;
using program::Type;

namespace {

Operand number(std::uint64_t value) {
  return Operand::constant(value);
}

}  // namespace

// The high (fshl) or low (fshr) half of the pair (a, b), shifted by c modulo the width.
Operand FunctionLowering::funnel_shift(const llvm::IntrinsicInst& i, Type type) {
  const bool left = i.getIntrinsicID() == llvm::Intrinsic::fshl;
  const Operand a = operand_of(i.getArgOperand(0));
  const Operand b = operand_of(i.getArgOperand(1));
  const Operand by = emit(Op::URem, type, {operand_of(i.getArgOperand(2)), number(type.bits)});
  const Operand rest = emit(Op::Sub, type, {number(type.bits), by});
  const Operand high = emit(Op::Shl, type, {a, left ? by : rest});
  const Operand low = emit(Op::LShr, type, {b, left ? rest : by});
  const Operand shifted = emit(Op::Or, type, {high, low});
  // A shift by the whole width is one by nothing, in the model: not what is meant.
  const Operand none = emit(Op::Eq, type, {by, number(0)});
  return emit(Op::Select, type, {none, left ? a : b, shifted});
}

// Swaps neighbours of 8 bits, then of 16, then of 32.
Operand FunctionLowering::swap_bytes(Operand value, Type type) {
  constexpr std::uint64_t kLow[] = {0x00ff'00ff'00ff'00ff, 0x0000'ffff'0000'ffff, 0x0000'0000'ffff'ffff};
  for (unsigned step = 0; 8u << step < type.bits; ++step) {
    const Operand mask = number(program::low_bits(kLow[step], type.bits));
    const Operand by = number(8u << step);
    const Operand up = emit(Op::Shl, type, {emit(Op::And, type, {value, mask}), by});
    const Operand down = emit(Op::And, type, {emit(Op::LShr, type, {value, by}), mask});
    value = emit(Op::Or, type, {up, down});
  }
  return value;
}

Operand FunctionLowering::count_ones(Operand value, Type type) {
  constexpr std::uint64_t kPairs = 0x5555'5555'5555'5555;
  constexpr std::uint64_t kFours = 0x3333'3333'3333'3333;
  constexpr std::uint64_t kEights = 0x0f0f'0f0f'0f0f'0f0f;
  Operand x = resized(value, type, 64, false);
  const Operand odd = emit(Op::And, kI64, {emit(Op::LShr, kI64, {x, number(1)}), number(kPairs)});
  x = emit(Op::Sub, kI64, {x, odd});
  const Operand upper = emit(Op::And, kI64, {emit(Op::LShr, kI64, {x, number(2)}), number(kFours)});
  x = emit(Op::Add, kI64, {emit(Op::And, kI64, {x, number(kFours)}), upper});
  x = emit(Op::And, kI64, {emit(Op::Add, kI64, {x, emit(Op::LShr, kI64, {x, number(4)})}), number(kEights)});
  x = emit(Op::Mul, kI64, {x, number(0x0101'0101'0101'0101)});
  return resized(emit(Op::LShr, kI64, {x, number(56)}), kI64, type.bits, false);
}

// Every bit below the highest one is set, then those that are still zero are counted.
Operand FunctionLowering::leading_zeros(Operand value, Type type) {
  Operand x = value;
  for (unsigned by = 1; by < type.bits; by *= 2) {
    x = emit(Op::Or, type, {x, emit(Op::LShr, type, {x, number(by)})});
  }
  return count_ones(emit(Op::Xor, type, {x, number(program::low_bits(~std::uint64_t{0}, type.bits))}), type);
}

// The zeros below the lowest one are what x - 1 has and x has not.
Operand FunctionLowering::trailing_zeros(Operand value, Type type) {
  const Operand ones = number(program::low_bits(~std::uint64_t{0}, type.bits));
  const Operand below = emit(Op::Sub, type, {value, number(1)});
  return count_ones(emit(Op::And, type, {emit(Op::Xor, type, {value, ones}), below}), type);
}

}  // namespace racecast::frontend
