// Values of IR as bits of a record: which fit, and the cast that makes them an integer.
#pragma once

#include <llvm/IR/IRBuilder.h>

namespace racecast::frontend {

// How many bytes of a record a value of this type takes: 1, 2, 4 or 8; 0: such values are not recorded (wider than 64
// bits, aggregates, pointers that are no addresses).
unsigned value_bytes(const llvm::Type* type);

// `value`, whose value_bytes() is not 0, as an integer of `bytes` bytes: zeros above, low bits where it does not fit.
llvm::Value* as_integer(llvm::IRBuilder<>& builder, llvm::Value* value, unsigned bytes);

}  // namespace racecast::frontend
