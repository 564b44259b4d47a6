// See evaluation.h.
#include "model/walk/evaluation.h"

#include <bit>
#include <cmath>

namespace racecast::model {

namespace {

bool is_nan(std::uint64_t bits, unsigned width) {
  const std::uint64_t magnitude = bits & (width == 32 ? 0x7fffffffu : 0x7fffffffffffffffu);
  return magnitude > (width == 32 ? std::uint64_t{0x7f800000u} : 0x7ff0000000000000u);
}

}  // namespace

bool is_defined(const program::Instruction& instruction, bool float_bits, std::uint64_t operand, std::uint64_t result) {
  if (float_bits) return !is_nan(operand, instruction.type.bits);
  const double v = instruction.imm == 64
                       ? std::bit_cast<double>(operand)
                       : static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(operand)));
  return result != 0 || std::fabs(v) < 1.0;
}

}  // namespace racecast::model
