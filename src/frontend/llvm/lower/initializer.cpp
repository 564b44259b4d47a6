// What a global holds when the program starts: bytes, and which of them are addresses.
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/GlobalAlias.h>
#include <llvm/IR/Operator.h>

#include <algorithm>

#include "frontend/llvm/lower/module.h"

namespace racecast::frontend {
namespace {

class Image {
 public:
  Image(std::uint64_t size, const llvm::DataLayout& layout) : layout_(layout) { image_.bytes.resize(size); }

  // Writes `value` at `offset`; false where the model cannot say it.
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
    return write_address(value, offset);  // else a vector with undefined elements, ...
  }

  InitialImage take() {
    std::ranges::sort(image_.addresses, {}, &InitialAddress::offset);
    return std::move(image_);
  }

 private:
  bool write(const llvm::APInt& value, std::uint64_t offset) {
    const unsigned count = (value.getBitWidth() + 7) / 8;
    for (unsigned k = 0; k < count && offset + k < image_.bytes.size(); ++k) {
      const unsigned bits = std::min(8u, value.getBitWidth() - 8 * k);
      image_.bytes[offset + k] = static_cast<std::uint8_t>(value.extractBitsAsZExtValue(bits, 8 * k));
    }
    return true;
  }

  // Elements one after the other, as they are in memory: a vector of i1 is not among these.
  bool write(const llvm::ConstantDataSequential& data, std::uint64_t offset) {
    const llvm::StringRef raw = data.getRawDataValues();
    for (std::size_t k = 0; k < raw.size() && offset + k < image_.bytes.size(); ++k) {
      image_.bytes[offset + k] = static_cast<std::uint8_t>(raw[k]);
    }
    return true;
  }

  // A symbol plus a constant, as a pointer or an integer of its size. Not: differences of symbols, thread-locals, what
  // another module may replace by something that is nowhere.
  bool write_address(const llvm::Constant& value, std::uint64_t offset) {
    if (offset + program::kRelocationBytes > image_.bytes.size()) return false;
    if (layout_.getTypeSizeInBits(value.getType()).getFixedValue() != 8 * program::kRelocationBytes) return false;
    const llvm::Constant* at = &value;
    llvm::APInt addend(64, 0);
    while (true) {
      if (const auto* expression = llvm::dyn_cast<llvm::ConstantExpr>(at);
          expression != nullptr && expression->getOpcode() == llvm::Instruction::PtrToInt) {
        at = expression->getOperand(0);
      } else if (const auto* gep = llvm::dyn_cast<llvm::GEPOperator>(at)) {
        if (!gep->accumulateConstantOffset(layout_, addend)) return false;
        at = llvm::cast<llvm::Constant>(gep->getPointerOperand());
      } else if (const auto* alias = llvm::dyn_cast<llvm::GlobalAlias>(at)) {
        if (alias->isInterposable()) return false;
        at = alias->getAliasee();
      } else if (const auto* same = llvm::dyn_cast<llvm::DSOLocalEquivalent>(at)) {
        at = same->getGlobalValue();
      } else if (const auto* plain = llvm::dyn_cast<llvm::NoCFIValue>(at)) {
        at = plain->getGlobalValue();
      } else {
        break;
      }
    }
    const auto* target = llvm::dyn_cast<llvm::GlobalObject>(at);
    if (target == nullptr || target->getAddressSpace() != 0 || target->hasExternalWeakLinkage()) return false;
    if (!llvm::isa<llvm::Function>(target)) {
      const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(target);
      if (variable == nullptr || variable->isThreadLocal()) return false;
    }
    image_.addresses.push_back({offset, target, addend.getZExtValue()});
    return true;
  }

  InitialImage image_;
  const llvm::DataLayout& layout_;
};

}  // namespace

InitialImage initial_image(const llvm::Constant& initializer, std::uint64_t size, const llvm::DataLayout& layout) {
  Image image(size, layout);
  return image.write(initializer, 0) ? image.take() : InitialImage{};
}

}  // namespace racecast::frontend
