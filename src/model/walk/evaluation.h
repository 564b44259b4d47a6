// Pure instructions on known operands, as the walk along a path (walk.h) and the symbolic trace (symbolic_trace.h)
// compute them: program::evaluate(), but unknown where that is not for the model to say (a float that does not fit the
// integer it is cast to, the bits of a NaN).
#pragma once

#include <cstdint>
#include <span>

#include "program/evaluate.h"

namespace racecast::model {

inline bool is_division(program::Op op) {
  using program::Op;
  return op == Op::SDiv || op == Op::UDiv || op == Op::SRem || op == Op::URem;
}

struct WalkEvaluation {
  std::uint64_t value = 0;
  bool known = false;
  bool faults = false;  // then it is not known
};

// Is the result for the model to say? `float_bits`: WalkStep's.
bool is_defined(const program::Instruction& instruction, bool float_bits, std::uint64_t operand, std::uint64_t result);

// `instruction` is evaluable. Inline: it is the inner loop of the walk.
inline WalkEvaluation evaluate_known(const program::Instruction& instruction, bool float_bits,
                                     std::span<const std::uint64_t> operands) {
  using program::Op;
  const program::Evaluation result = program::evaluate(instruction, operands);
  if (result.fault != program::FaultKind::None) return {0, false, true};
  const bool casts = float_bits || instruction.op == Op::FpToSi || instruction.op == Op::FpToUi;
  if (casts && !is_defined(instruction, float_bits, operands[0], result.value)) return {};
  return {result.value, true, false};
}

}  // namespace racecast::model
