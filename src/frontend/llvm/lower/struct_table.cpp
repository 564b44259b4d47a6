#include "frontend/llvm/lower/struct_table.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <limits>

#include "frontend/llvm/lower/module.h"

namespace racecast::frontend {
namespace {

constexpr std::uint64_t kMaxSize = std::numeric_limits<std::uint32_t>::max();

// Without typedefs and qualifiers.
const llvm::DIType* plain(const llvm::DIType* type) {
  while (const auto* derived = llvm::dyn_cast_or_null<llvm::DIDerivedType>(type)) {
    switch (derived->getTag()) {
      case llvm::dwarf::DW_TAG_typedef:
      case llvm::dwarf::DW_TAG_const_type:
      case llvm::dwarf::DW_TAG_volatile_type:
      case llvm::dwarf::DW_TAG_restrict_type:
      case llvm::dwarf::DW_TAG_atomic_type: type = derived->getBaseType(); break;
      default: return type;
    }
  }
  return type;
}

// What an array has elements of; anything else is itself.
const llvm::DIType* element(const llvm::DIType* type) {
  type = plain(type);
  while (const auto* array = llvm::dyn_cast_or_null<llvm::DICompositeType>(type)) {
    if (array->getTag() != llvm::dwarf::DW_TAG_array_type) break;
    type = plain(array->getBaseType());
  }
  return type;
}

const llvm::DICompositeType* as_struct(const llvm::DIType* type) {
  const auto* composite = llvm::dyn_cast_or_null<llvm::DICompositeType>(type);
  if (composite == nullptr) return nullptr;
  const auto tag = composite->getTag();
  const bool is_struct = tag == llvm::dwarf::DW_TAG_structure_type || tag == llvm::dwarf::DW_TAG_class_type ||
                         tag == llvm::dwarf::DW_TAG_union_type;
  return is_struct ? composite : nullptr;
}

// With the namespaces and classes around it.
std::string full_name(const llvm::DIType& type) {
  std::string name = type.getName().str();
  if (name.empty()) return name;
  for (const llvm::DIScope* scope = type.getScope(); scope != nullptr; scope = scope->getScope()) {
    if (!llvm::isa<llvm::DINamespace, llvm::DICompositeType>(scope)) break;
    const std::string around = scope->getName().str();
    name = (around.empty() ? "(anonymous)" : around) + "::" + name;
  }
  return name;
}

std::string pointee(const llvm::DIType* type) {
  const auto* pointer = llvm::dyn_cast_or_null<llvm::DIDerivedType>(plain(type));
  if (pointer == nullptr) return {};
  const auto tag = pointer->getTag();
  if (tag != llvm::dwarf::DW_TAG_pointer_type && tag != llvm::dwarf::DW_TAG_reference_type &&
      tag != llvm::dwarf::DW_TAG_rvalue_reference_type)
    return {};
  const llvm::DICompositeType* target = as_struct(plain(pointer->getBaseType()));
  return target != nullptr ? full_name(*target) : std::string();
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

StructTable::Found StructTable::of_type(const llvm::DIType* type, unsigned depth) {
  const llvm::DICompositeType* composite = as_struct(element(type));
  if (composite == nullptr || depth > kMaxDepth || is_full()) return std::nullopt;
  const auto [known, is_new] = of_debug_type_.try_emplace(composite, std::nullopt);
  if (!is_new) return known->second;
  const Found made = make(*composite, depth);
  of_debug_type_[composite] = made;
  return made;
}

StructTable::Found StructTable::make(const llvm::DICompositeType& type, unsigned depth) {
  const std::uint64_t size = type.getSizeInBits() / 8;
  if (type.isForwardDecl() || size == 0 || size > kMaxSize) return std::nullopt;
  program::Struct made;
  made.name = module_.intern(full_name(type));
  made.size = static_cast<std::uint32_t>(size);
  for (const llvm::DINode* node : type.getElements()) {
    if (const auto* member = llvm::dyn_cast_or_null<llvm::DIDerivedType>(node)) add_member(*member, made, depth);
  }
  return add(std::move(made));
}

void StructTable::add_member(const llvm::DIDerivedType& member, program::Struct& made, unsigned depth) {
  const bool is_base = member.getTag() == llvm::dwarf::DW_TAG_inheritance;
  if (!is_base && (member.getTag() != llvm::dwarf::DW_TAG_member || member.isStaticMember())) return;
  // Where a virtual base lies is not fixed.
  if (is_base && (member.getFlags() & llvm::DINode::FlagVirtual) != 0) return;
  const std::uint64_t bits = member.getOffsetInBits();
  const llvm::DIType* type = member.getBaseType();
  const std::uint64_t width = is_base && type != nullptr ? type->getSizeInBits() : member.getSizeInBits();
  const std::uint64_t offset = bits / 8, size = (bits % 8 + width + 7) / 8;  // of a bit field: the bytes that it is in
  if (offset >= made.size || size > made.size - offset) return;
  program::Field field;
  const llvm::DIType* own = element(type);
  field.name = module_.intern(is_base && own != nullptr ? full_name(*own) : member.getName().str());
  field.offset = static_cast<std::uint32_t>(offset);
  field.size = static_cast<std::uint32_t>(size);
  field.pointee = module_.intern(pointee(type));
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
  llvm::SmallVector<llvm::DIGlobalVariableExpression*, 1> found;
  global.getDebugInfo(found);
  for (const llvm::DIGlobalVariableExpression* expression : found) {
    if (expression->getExpression() != nullptr && expression->getExpression()->getNumElements() != 0) continue;
    if (const Found type = fitting(of_type(expression->getVariable()->getType(), 0), bytes)) return type;
  }
  return fitting(of_type(global.getValueType(), 0), bytes);
}

StructTable::Found StructTable::of(const llvm::AllocaInst& variable) {
  const auto size = variable.getAllocationSize(module_.layout());
  if (!size || size->isScalable()) return std::nullopt;
  auto* value = const_cast<llvm::AllocaInst*>(&variable);  // which is not changed
  const auto look_at = [&](const auto& declares) -> Found {
    for (const auto* declare : declares) {
      if (declare->getExpression()->getNumElements() != 0) continue;  // a part of it, or what it points to
      if (const Found type = fitting(of_type(declare->getVariable()->getType(), 0), size->getFixedValue())) return type;
    }
    return std::nullopt;
  };
  if (const Found type = look_at(llvm::findDVRDeclares(value))) return type;
  if (const Found type = look_at(llvm::findDbgDeclares(value))) return type;
  return fitting(of_type(variable.getAllocatedType(), 0), size->getFixedValue());
}

}  // namespace racecast::frontend
