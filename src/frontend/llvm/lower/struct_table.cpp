#include "frontend/llvm/lower/struct_table.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfo.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "frontend/llvm/lower/debug_types.h"
#include "frontend/llvm/lower/module.h"

namespace racecast::frontend {
namespace {

constexpr std::uint64_t kMaxSize = std::numeric_limits<std::uint32_t>::max();

// Of an array, the bytes of an element of each dimension; empty: it is none, or a length is not known.
std::vector<std::uint32_t> strides_of(const llvm::DIType* type) {
  std::vector<std::uint32_t> strides;
  const auto* array = llvm::dyn_cast_or_null<llvm::DICompositeType>(plain_type(type));
  if (array == nullptr || array->getTag() != llvm::dwarf::DW_TAG_array_type) return strides;
  const llvm::DIType* element = plain_type(array->getBaseType());
  std::uint64_t bytes = element == nullptr ? 0 : element->getSizeInBits() / 8;
  if (bytes == 0) return strides;
  llvm::SmallVector<std::uint64_t, 4> lengths;
  for (const llvm::DINode* node : array->getElements()) {
    const auto* range = llvm::dyn_cast<llvm::DISubrange>(node);
    const auto* count = range == nullptr ? nullptr : llvm::dyn_cast_if_present<llvm::ConstantInt*>(range->getCount());
    lengths.push_back(count == nullptr ? 0 : count->getZExtValue());
  }
  // The last dimension is the innermost; only the length of the first may be unknown.
  for (std::size_t k = lengths.size(); k-- > 0;) {
    if (bytes == 0 || bytes > kMaxSize) return {};
    strides.insert(strides.begin(), static_cast<std::uint32_t>(bytes));
    bytes *= lengths[k];
  }
  // An array of a type that is an array itself, by a typedef.
  for (const std::uint32_t inner : strides_of(element)) strides.push_back(inner);
  return strides;
}

}  // namespace

bool StructTable::is_full() const {
  return module_.out().program.structs.size() >= kMaxStructs || fields_ >= kMaxFields;
}

StructTable::Found StructTable::add(program::Struct made) {
  auto& structs = module_.out().program.structs;
  if (is_full() || fields_ + made.fields.size() > kMaxFields) return std::nullopt;
  fields_ += made.fields.size();
  structs.push_back(std::move(made));
  return static_cast<program::StructId>(structs.size() - 1);
}

StructTable::Found StructTable::fitting(Found found, std::uint64_t bytes) const {
  if (!found) return found;
  const std::uint32_t size = module_.out().program.structs[index(*found)].size;
  return bytes != 0 && bytes % size == 0 ? found : std::nullopt;
}

// ---- debug information

StructTable::Found StructTable::of(const llvm::DICompositeType& type) {
  return of_type(&type, 0);
}

StructTable::Found StructTable::of_type(const llvm::DIType* type, unsigned depth) {
  const llvm::DICompositeType* composite = as_struct(element_type(type));
  if (composite == nullptr || depth > kMaxDepth || is_full()) return std::nullopt;
  const auto [known, is_new] = of_debug_type_.try_emplace(composite, std::nullopt);
  if (!is_new) return known->second;
  const Found made = make(*composite, depth);
  of_debug_type_[composite] = made;
  return made;
}

// What is called by a typedef only has no name of its own.
std::string StructTable::name_of(const llvm::DICompositeType& type) {
  std::string name = full_name(type);
  if (!name.empty()) return name;
  if (type.getTag() == llvm::dwarf::DW_TAG_class_type) return "(lambda)";
  if (!typedefs_) {
    typedefs_.emplace();
    llvm::DebugInfoFinder finder;
    finder.processModule(module_.module());
    for (const llvm::DIType* one : finder.types()) {
      const auto* alias = llvm::dyn_cast<llvm::DIDerivedType>(one);
      if (alias == nullptr || alias->getTag() != llvm::dwarf::DW_TAG_typedef) continue;
      if (const llvm::DIType* meant = plain_type(alias); meant != nullptr && meant->getName().empty())
        typedefs_->try_emplace(meant, alias);
    }
  }
  const auto alias = typedefs_->find(&type);
  return alias == typedefs_->end() ? std::string() : full_name(*alias->second);
}

StructTable::Found StructTable::make(const llvm::DICompositeType& type, unsigned depth) {
  const std::uint64_t size = type.getSizeInBits() / 8;
  if (type.isForwardDecl() || size == 0 || size > kMaxSize) return std::nullopt;
  program::Struct made;
  made.name = module_.intern(name_of(type));
  made.size = static_cast<std::uint32_t>(size);
  made.library = is_library_type(type);
  for (const llvm::DINode* node : type.getElements()) {
    if (const llvm::DIDerivedType* member = as_member(node)) add_member(*member, made, depth);
  }
  return add(std::move(made));
}

void StructTable::add_member(const llvm::DIDerivedType& member, program::Struct& made, unsigned depth) {
  const bool is_base = is_base_class(member);
  const std::uint64_t bits = member.getOffsetInBits();
  const llvm::DIType* type = member.getBaseType();
  const std::uint64_t width = is_base && type != nullptr ? type->getSizeInBits() : member.getSizeInBits();
  const std::uint64_t offset = bits / 8, size = (bits % 8 + width + 7) / 8;  // of a bit field: the bytes that it is in
  if (offset >= made.size || size > made.size - offset) return;
  program::Field field;
  const llvm::DIType* own = element_type(type);
  field.name = module_.intern(is_base && own != nullptr ? full_name(*own) : member.getName().str());
  field.offset = static_cast<std::uint32_t>(offset);
  field.size = static_cast<std::uint32_t>(size);
  if (const llvm::DICompositeType* target = pointee_struct(type)) field.pointee = module_.intern(full_name(*target));
  field.strides = strides_of(type);
  field.base = is_base;
  field.type = of_type(type, depth + 1);
  if (is_base && offset == 0 && !made.base) made.base = field.type;
  made.fields.push_back(field);
}

// ---- types of the IR

StructTable::Found StructTable::of_type(llvm::Type* type, unsigned depth) {
  while (type->isArrayTy()) type = type->getArrayElementType();
  auto* record = llvm::dyn_cast<llvm::StructType>(type);
  if (record == nullptr || !record->hasName() || depth > kMaxDepth || is_full()) return std::nullopt;
  const auto [known, is_new] = of_ir_type_.try_emplace(record, std::nullopt);
  if (!is_new) return known->second;
  const Found made = make(*record, depth);
  of_ir_type_[record] = made;
  return made;
}

StructTable::Found StructTable::make(llvm::StructType& type, unsigned depth) {
  if (!type.isSized() || type.isScalableTy()) return std::nullopt;
  const llvm::DataLayout& layout = module_.layout();
  const std::uint64_t size = layout.getTypeAllocSize(&type).getFixedValue();
  if (size == 0 || size > kMaxSize) return std::nullopt;
  llvm::StringRef name = type.getName();
  if (!name.consume_front("struct.") && !name.consume_front("class.")) name.consume_front("union.");
  program::Struct made;
  made.name = module_.intern(name);
  made.size = static_cast<std::uint32_t>(size);
  const llvm::StructLayout* places = layout.getStructLayout(&type);
  for (unsigned k = 0; k < type.getNumElements(); ++k) {
    const std::uint64_t offset = places->getElementOffset(k).getFixedValue();
    const std::uint64_t bytes = layout.getTypeAllocSize(type.getElementType(k)).getFixedValue();
    if (offset >= size || bytes > size - offset) continue;
    program::Field field;
    field.offset = static_cast<std::uint32_t>(offset);
    field.size = static_cast<std::uint32_t>(bytes);
    field.type = of_type(type.getElementType(k), depth + 1);
    made.fields.push_back(field);
  }
  return add(std::move(made));
}

// ---- variables

StructTable::Found StructTable::of(const llvm::GlobalVariable& global) {
  if (global.isDeclarationForLinker() || !global.getValueType()->isSized()) return std::nullopt;
  const std::uint64_t bytes = module_.layout().getTypeAllocSize(global.getValueType()).getKnownMinValue();
  if (const llvm::DIGlobalVariable* declared = variable_of(global))
    if (const Found type = fitting(of_type(declared->getType(), 0), bytes)) return type;
  return fitting(of_type(global.getValueType(), 0), bytes);
}

StructTable::Found StructTable::of(const llvm::AllocaInst& variable) {
  const auto size = variable.getAllocationSize(module_.layout());
  if (!size || size->isScalable()) return std::nullopt;
  if (const llvm::DILocalVariable* declared = variable_of(variable).variable)
    if (const Found type = fitting(of_type(declared->getType(), 0), size->getFixedValue())) return type;
  return fitting(of_type(variable.getAllocatedType(), 0), size->getFixedValue());
}

}  // namespace racecast::frontend
