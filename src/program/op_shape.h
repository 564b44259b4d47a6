// The shape of each operation: how many operands it has, which results, which types. What broken_rule() checks every
// instruction against.
#pragma once

#include <cstdint>

#include "program/program.h"

namespace racecast::program {

inline constexpr int kAny = -1;
enum class Want : std::uint8_t { No, Maybe, Yes };
enum class TypeRule : std::uint8_t {
  Free,     // whatever
  Void,     // none, or anything where a result is (Call)
  Int,      // the result's type
  Float,    // the result's type
  Compare,  // an integer or pointer type of the operands; the result is i1
  CompareF,
  Value,  // any type but void, the result's (Load) or the stored value's (Store)
  Bool,   // the result is an integer (TryLock: any width)
};

struct Shape {
  int min_operands;
  int max_operands;  // kAny: no bound
  Want result;
  TypeRule type;
  int typed_from;  // operands from here to `typed_to` (exclusive; kAny: all) have the instruction's type
  int typed_to;
};

const Shape& shape_of(Op op);

// How many operands, from the first, are addresses.
int address_operands(Op op);

}  // namespace racecast::program
