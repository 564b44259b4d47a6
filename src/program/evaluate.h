// Operations that are functions of their operands, with exact machine semantics: integers of 1 to 64 bits that wrap,
// real float and double, casts, address arithmetic. Knows no state, so the interpreter and the predictor compute
// the same values with the same code.
//
// A fault (division by zero, null) is a value, not an error: the thread that meets it ends, the run goes on.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "program/program.h"

namespace racecast::program {

enum class FaultKind : std::uint8_t {
  None,
  DivisionByZero,
  DivisionOverflow,
  Null,
  OutOfRange,
  OutOfBounds,
  BadFree,
  BadCall,
  BadJoin,
  StackOverflow,
  OutOfMemory,
  Unreachable,
};
std::string_view text_of(FaultKind fault);

struct Evaluation {
  std::uint64_t value = 0;
  FaultKind fault = FaultKind::None;
  bool operator==(const Evaluation&) const = default;
};

// Can evaluate() compute this? All pure operations but those that ask what object an address belongs to (ArrayLength,
// InstanceOf).
bool is_evaluable(Op op);

// The result of an evaluable instruction; `operands` are the values of its operands, in order. Upper bits of operands
// beyond their width are ignored, those of the result are zero. Offset and Index, where `checked`, fault for a null
// base; whether an index is inside its object is for the caller to check, who knows the objects.
Evaluation evaluate(const Instruction& instruction, std::span<const std::uint64_t> operands);

// What an atomic read-modify-write of `type` stores where it read `old`.
std::uint64_t apply(Rmw rmw, Type type, std::uint64_t old, std::uint64_t operand);

// The low `bits` bits, 1..64.
constexpr std::uint64_t low_bits(std::uint64_t value, unsigned bits) {
  return bits >= 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}
// The low `bits` bits as a signed number.
constexpr std::int64_t signed_value(std::uint64_t value, unsigned bits) {
  if (bits == 0 || bits >= 64) return static_cast<std::int64_t>(value);
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  return static_cast<std::int64_t>((low_bits(value, bits) ^ sign) - sign);
}

// Where the model puts the code of a function: the value of an Operand::function. Never null, and in nobody's object.
inline constexpr std::uint64_t kFunctionBase = 0x7f00000000000000;
constexpr std::uint64_t function_address(FunctionId id) {
  return kFunctionBase + index(id) * 16;
}
// The function at an address; nullopt where there is none. `functions` is how many the program has.
constexpr std::optional<FunctionId> function_at(std::uint64_t address, std::size_t functions) {
  const std::uint64_t offset = address - kFunctionBase;
  if (address < kFunctionBase || offset % 16 != 0 || offset / 16 >= functions) return std::nullopt;
  return static_cast<FunctionId>(offset / 16);
}

}  // namespace racecast::program
