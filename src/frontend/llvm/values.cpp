#include "frontend/llvm/values.h"

#include <llvm/IR/DerivedTypes.h>
#include <llvm/Support/MathExtras.h>

namespace racecast::frontend {

unsigned value_bytes(const llvm::Type* type) {
  if (type->isPointerTy()) return type->getPointerAddressSpace() == 0 ? 8 : 0;
  const bool whole =
      type->isIntegerTy() || type->isHalfTy() || type->isBFloatTy() || type->isFloatTy() || type->isDoubleTy();
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  if (!whole && (vector == nullptr || vector->getElementType()->isPointerTy())) return 0;
  const std::uint64_t bits = type->getPrimitiveSizeInBits().getFixedValue();
  if (bits == 0 || bits > 64) return 0;
  // A vector with bits to spare has no one layout as an integer.
  if (vector != nullptr && bits != 8 && bits != 16 && bits != 32 && bits != 64) return 0;
  return static_cast<unsigned>(llvm::PowerOf2Ceil(llvm::divideCeil(bits, 8)));
}

llvm::Value* as_integer(llvm::IRBuilder<>& builder, llvm::Value* value, unsigned bytes) {
  llvm::Type* wanted = builder.getIntNTy(bytes * 8);
  llvm::Type* type = value->getType();
  if (type->isPointerTy()) {
    value = builder.CreatePtrToInt(value, builder.getInt64Ty());
  } else if (!type->isIntegerTy()) {
    value = builder.CreateBitCast(
        value, builder.getIntNTy(static_cast<unsigned>(type->getPrimitiveSizeInBits().getFixedValue())));
  }
  return builder.CreateZExtOrTrunc(value, wanted);
}

}  // namespace racecast::frontend
