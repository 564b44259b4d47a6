// Which values of LLVM IR the model computes with: those of 1 to 64 bits. All others (i128, vectors, aggregates, long
// double) are *wide*: of them the model keeps only which instruction made them from which, never a value.
#pragma once

#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Type.h>

#include <cstdint>
#include <optional>

#include "program/program.h"

namespace racecast::frontend {

// nullopt: wide, or no value at all. A half is its 16 bits: it can be moved, not computed with. A pointer to another
// address space (a segment of x86) is wide.
inline std::optional<program::Type> scalar_type(const llvm::Type* type) {
  using program::Type;
  using program::TypeKind;
  if (type->isIntegerTy() && type->getIntegerBitWidth() <= 64) {
    return Type{TypeKind::Int, static_cast<std::uint8_t>(type->getIntegerBitWidth())};
  }
  if (type->isHalfTy() || type->isBFloatTy()) return Type{TypeKind::Int, 16};
  if (type->isFloatTy()) return Type{TypeKind::Float, 32};
  if (type->isDoubleTy()) return Type{TypeKind::Float, 64};
  if (type->isPointerTy() && type->getPointerAddressSpace() == 0) return program::kPtr;
  return std::nullopt;
}

// The widths that atomics of the model have.
inline bool is_atomic_width(program::Type type) {
  return type.bits == 8 || type.bits == 16 || type.bits == 32 || type.bits == 64;
}

}  // namespace racecast::frontend
