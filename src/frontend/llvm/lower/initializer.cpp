// What a global holds when the program starts, as bytes.
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>

#include "frontend/llvm/lower/module.h"

namespace racecast::frontend {
namespace {

class Image {
 public:
  Image(std::uint64_t size, const llvm::DataLayout& layout) : bytes_(size), layout_(layout) {}

  // Writes `value` at `offset`; false where it is not plain data.
  bool write(const llvm::Constant& value, std::uint64_t offset) {
    if (value.isNullValue() || llvm::isa<llvm::UndefValue>(value)) return true;
    if (const auto* integer = llvm::dyn_cast<llvm::ConstantInt>(&value)) return write(integer->getValue(), offset);
    if (const auto* real = llvm::dyn_cast<llvm::ConstantFP>(&value)) {
      return write(real->getValueAPF().bitcastToAPInt(), offset);
    }
    if (const auto* data = llvm::dyn_cast<llvm::ConstantDataSequential>(&value)) return write(*data, offset);
    if (const auto* record = llvm::dyn_cast<llvm::ConstantStruct>(&value)) {
      const llvm::StructLayout* fields = layout_.getStructLayout(record->getType());
      for (unsigned k = 0; k < record->getNumOperands(); ++k) {
        if (!write(*record->getOperand(k), offset + fields->getElementOffset(k).getFixedValue())) return false;
      }
      return true;
    }
    if (const auto* array = llvm::dyn_cast<llvm::ConstantArray>(&value)) {
      const std::uint64_t step = layout_.getTypeAllocSize(array->getType()->getElementType()).getFixedValue();
      for (unsigned k = 0; k < array->getNumOperands(); ++k) {
        if (!write(*array->getOperand(k), offset + k * step)) return false;
      }
      return true;
    }
    return false;  // an address, a vector with undefined elements, ...
  }

  std::vector<std::uint8_t> take() { return std::move(bytes_); }

 private:
  bool write(const llvm::APInt& value, std::uint64_t offset) {
    const unsigned count = (value.getBitWidth() + 7) / 8;
    for (unsigned k = 0; k < count && offset + k < bytes_.size(); ++k) {
      const unsigned bits = std::min(8u, value.getBitWidth() - 8 * k);
      bytes_[offset + k] = static_cast<std::uint8_t>(value.extractBitsAsZExtValue(bits, 8 * k));
    }
    return true;
  }

  // Elements one after the other, as they are in memory: a vector of i1 is not among these.
  bool write(const llvm::ConstantDataSequential& data, std::uint64_t offset) {
    const llvm::StringRef raw = data.getRawDataValues();
    for (std::size_t k = 0; k < raw.size() && offset + k < bytes_.size(); ++k) {
      bytes_[offset + k] = static_cast<std::uint8_t>(raw[k]);
    }
    return true;
  }

  std::vector<std::uint8_t> bytes_;
  const llvm::DataLayout& layout_;
};

}  // namespace

std::vector<std::uint8_t> initial_bytes(const llvm::Constant& initializer, std::uint64_t size,
                                        const llvm::DataLayout& layout) {
  Image image(size, layout);
  return image.write(initializer, 0) ? image.take() : std::vector<std::uint8_t>{};
}

}  // namespace racecast::frontend
