#include "frontend/llvm/lower/debug_types.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/IntrinsicInst.h>

#include "program/library_file.h"

namespace racecast::frontend {

const llvm::DIType* plain_type(const llvm::DIType* type) {
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

const llvm::DIType* element_type(const llvm::DIType* type) {
  type = plain_type(type);
  while (const auto* array = llvm::dyn_cast_or_null<llvm::DICompositeType>(type)) {
    if (array->getTag() != llvm::dwarf::DW_TAG_array_type) break;
    type = plain_type(array->getBaseType());
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

const llvm::DICompositeType* pointee_struct(const llvm::DIType* type) {
  const auto* pointer = llvm::dyn_cast_or_null<llvm::DIDerivedType>(plain_type(type));
  if (pointer == nullptr) return nullptr;
  const auto tag = pointer->getTag();
  if (tag != llvm::dwarf::DW_TAG_pointer_type && tag != llvm::dwarf::DW_TAG_reference_type &&
      tag != llvm::dwarf::DW_TAG_rvalue_reference_type)
    return nullptr;
  return as_struct(plain_type(pointer->getBaseType()));
}

const llvm::DIDerivedType* as_member(const llvm::DINode* node) {
  const auto* member = llvm::dyn_cast_or_null<llvm::DIDerivedType>(node);
  if (member == nullptr) return nullptr;
  // Where a virtual base lies is not fixed.
  if (is_base_class(*member)) return (member->getFlags() & llvm::DINode::FlagVirtual) == 0 ? member : nullptr;
  return member->getTag() == llvm::dwarf::DW_TAG_member && !member->isStaticMember() ? member : nullptr;
}

bool is_base_class(const llvm::DIDerivedType& member) {
  return member.getTag() == llvm::dwarf::DW_TAG_inheritance;
}

// Debug information says it in one of three ways: a declaration, before the optimiser has run; assignments, one of them
// to the alloca itself; values, of which one is what the alloca points to.
DeclaredLocal variable_of(const llvm::AllocaInst& alloca) {
  auto* value = const_cast<llvm::AllocaInst*>(&alloca);  // which is not changed
  DeclaredLocal found;
  const auto look_at = [&](const auto& says, bool is_all) {
    if (found.variable == nullptr && is_all) found = {says.getVariable(), says.getDebugLoc().get()};
  };
  const auto is_empty = [](const llvm::DIExpression* expression) { return expression->getNumElements() == 0; };
  const auto is_deref = [](const llvm::DIExpression* expression) {
    return expression->getNumElements() == 1 && expression->startsWithDeref();
  };
  for (const llvm::DbgVariableRecord* one : llvm::findDVRDeclares(value)) look_at(*one, is_empty(one->getExpression()));
  for (const llvm::DbgDeclareInst* one : llvm::findDbgDeclares(value)) look_at(*one, is_empty(one->getExpression()));
  for (const llvm::DbgVariableRecord* one : llvm::at::getDVRAssignmentMarkers(&alloca))
    look_at(*one, is_empty(one->getExpression()) && is_empty(one->getAddressExpression()));
  for (const llvm::DbgAssignIntrinsic* one : llvm::at::getAssignmentMarkers(&alloca))
    look_at(*one, is_empty(one->getExpression()) && is_empty(one->getAddressExpression()));
  if (found.variable != nullptr) return found;
  llvm::SmallVector<llvm::DbgValueInst*, 4> values;
  llvm::SmallVector<llvm::DbgVariableRecord*, 4> records;
  llvm::findDbgValues(values, value, &records);
  for (const llvm::DbgVariableRecord* one : records) look_at(*one, is_deref(one->getExpression()));
  for (const llvm::DbgValueInst* one : values) look_at(*one, is_deref(one->getExpression()));
  return found;
}

const llvm::DIGlobalVariable* variable_of(const llvm::GlobalVariable& global) {
  llvm::SmallVector<llvm::DIGlobalVariableExpression*, 1> found;
  global.getDebugInfo(found);
  for (const llvm::DIGlobalVariableExpression* one : found)
    if (one->getExpression() == nullptr || one->getExpression()->getNumElements() == 0) return one->getVariable();
  return nullptr;
}

namespace {

// Names of the fields that hold these bits. One that holds more is looked into.
std::string fields_at(const llvm::DIType* type, std::uint64_t offset, std::uint64_t size) {
  const llvm::DICompositeType* record = as_struct(plain_type(type));
  if (record == nullptr) return {};
  std::string names;
  for (const llvm::DINode* node : record->getElements()) {
    const llvm::DIDerivedType* member = as_member(node);
    if (member == nullptr) continue;
    const std::uint64_t start = member->getOffsetInBits(), end = start + member->getSizeInBits();
    if (start >= offset + size || end <= offset) continue;
    const std::string name = member->getName().str();
    if (!is_base_class(*member) && start <= offset && offset + size <= end)
      return (name.empty() ? "" : "." + name) + fields_at(member->getBaseType(), offset - start, size);
    names += (names.empty() ? "." : "/") + name;
  }
  return names;
}

}  // namespace

GlobalPart part_of(const llvm::GlobalVariable& global) {
  llvm::SmallVector<llvm::DIGlobalVariableExpression*, 1> found;
  global.getDebugInfo(found);
  for (const llvm::DIGlobalVariableExpression* one : found) {
    const llvm::DIExpression* expression = one->getExpression();
    if (expression == nullptr || expression->getNumElements() == 0) return {one->getVariable(), {}};
    if (const auto fragment = expression->getFragmentInfo())
      return {one->getVariable(),
              fields_at(one->getVariable()->getType(), fragment->OffsetInBits, fragment->SizeInBits)};
  }
  return {};
}

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

std::string path_of(const llvm::DIFile& file) {
  llvm::StringRef name = file.getFilename();
  const llvm::StringRef folder = file.getDirectory();
  if (name.starts_with("/") || !folder.starts_with("/")) return name.str();
  while (name.consume_front("./")) {
  }
  return (folder + (folder.ends_with("/") ? "" : "/") + name).str();
}

bool is_library_type(const llvm::DIType& type) {
  return type.getFile() != nullptr && program::is_library_file(path_of(*type.getFile()));
}

}  // namespace racecast::frontend
