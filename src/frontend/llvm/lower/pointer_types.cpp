#include "frontend/llvm/lower/pointer_types.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/IntrinsicInst.h>

#include "frontend/llvm/lower/debug_types.h"

namespace racecast::frontend {
namespace {

using Found = std::optional<PointsTo>;

std::uint64_t size_of(const llvm::DIType* type) {
  return type == nullptr ? 0 : type->getSizeInBits() / 8;
}

Found at_start(const llvm::DICompositeType* type) {
  if (type == nullptr || type->isForwardDecl() || size_of(type) == 0) return std::nullopt;
  return PointsTo{type, 0};
}

// Several may be right: a class and its base, a struct and its first field. The largest tells most.
Found larger(Found a, Found b) {
  if (!a || !b) return a ? a : b;
  return size_of(b->type) > size_of(a->type) ? b : a;
}

// The member of a struct that covers a byte, and the byte's place in its type (of an array: in the element); null
// type: none. Of a union the first.
struct Part {
  const llvm::DIType* type = nullptr;
  std::uint64_t offset = 0;
};
Part part_at(const PointsTo& at) {
  for (const llvm::DINode* node : at.type->getElements()) {
    const llvm::DIDerivedType* member = as_member(node);
    if (member == nullptr || member->isBitField()) continue;
    const llvm::DIType* type = plain_type(member->getBaseType());
    const std::uint64_t start = member->getOffsetInBits() / 8, size = size_of(type);
    if (at.offset < start || at.offset - start >= size) continue;
    const llvm::DIType* element = element_type(type);
    const std::uint64_t stride = size_of(element);
    if (stride == 0) return {};
    return {element, (at.offset - start) % stride};
  }
  return {};
}

// Of a struct of a library, what the user put there.
Found of_user(Found found) {
  while (found && is_library_type(*found->type)) {
    const Part part = part_at(*found);
    const llvm::DICompositeType* inner = as_struct(part.type);
    if (inner == nullptr) return std::nullopt;
    found = PointsTo{inner, part.offset};
  }
  return found;
}

// What variables say that are this pointer.
Found of_variables(const llvm::Value& pointer) {
  if (!pointer.isUsedByMetadata()) return std::nullopt;
  llvm::SmallVector<llvm::DbgValueInst*, 4> values;
  llvm::SmallVector<llvm::DbgVariableRecord*, 4> records;
  llvm::findDbgValues(values, const_cast<llvm::Value*>(&pointer), &records);  // which is not changed
  Found found;
  const auto look_at = [&](const auto& value) {
    if (value.getExpression()->getNumElements() == 0 && !value.hasArgList())
      found = larger(found, at_start(pointee_struct(value.getVariable()->getType())));
  };
  for (const llvm::DbgValueInst* value : values) look_at(*value);
  for (const llvm::DbgVariableRecord* record : records) look_at(*record);
  return found;
}

// The type of what lies at a global or in a stack slot.
const llvm::DIType* declared_type(const llvm::Value& memory) {
  if (const auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(&memory)) {
    const llvm::DILocalVariable* variable = variable_of(*alloca).variable;
    return variable == nullptr ? nullptr : variable->getType();
  }
  if (const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(&memory)) {
    const llvm::DIGlobalVariable* variable = variable_of(*global);
    return variable == nullptr ? nullptr : variable->getType();
  }
  return nullptr;
}

// `new T` says what it makes; of other calls their declaration says what they return.
Found returned(const llvm::CallBase& call) {
  if (const auto* made = llvm::dyn_cast_or_null<llvm::DIType>(call.getMetadata("heapallocsite")))
    return at_start(as_struct(element_type(made)));
  const auto* callee = llvm::dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCasts());
  if (callee == nullptr || callee->getSubprogram() == nullptr) return std::nullopt;
  const llvm::DISubroutineType* type = callee->getSubprogram()->getType();
  if (type == nullptr || type->getTypeArray().size() == 0) return std::nullopt;
  return at_start(pointee_struct(type->getTypeArray()[0]));
}

// A tag is {struct, type that is accessed, offset}; a struct begins with its name, in C++ as in debug information.
bool tbaa_says(const llvm::MDNode& tag, const PointsTo& at) {
  if (tag.getNumOperands() < 3) return false;
  const auto* type = llvm::dyn_cast_or_null<llvm::MDNode>(tag.getOperand(0));
  const auto* offset = llvm::mdconst::dyn_extract_or_null<llvm::ConstantInt>(tag.getOperand(2));
  if (type == nullptr || offset == nullptr || type->getNumOperands() == 0) return false;
  const auto* name = llvm::dyn_cast_or_null<llvm::MDString>(type->getOperand(0));
  if (name == nullptr || name->getString().empty() || offset->getZExtValue() != at.offset) return false;
  return name->getString() == at.type->getIdentifier() ||
         (at.type->getIdentifier().empty() && name->getString() == at.type->getName());
}

}  // namespace

std::optional<PointsTo> PointerTypes::of(const llvm::Value* pointer) {
  return of_user(find(pointer, 0));
}

PointerTypes::Found PointerTypes::find(const llvm::Value* pointer, unsigned depth) {
  if (depth > kMaxDepth || !pointer->getType()->isPointerTy()) return std::nullopt;
  const auto [known, is_new] = known_.try_emplace(pointer, std::nullopt);
  if (!is_new) return known->second;
  const Found found = larger(derive(*pointer, depth), of_variables(*pointer));
  known_[pointer] = found;
  return found;
}

PointerTypes::Found PointerTypes::derive(const llvm::Value& pointer, unsigned depth) {
  if (llvm::isa<llvm::AllocaInst, llvm::GlobalVariable>(pointer))
    return at_start(as_struct(element_type(declared_type(pointer))));
  if (const auto* gep = llvm::dyn_cast<llvm::GEPOperator>(&pointer)) return moved(*gep, depth);
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&pointer)) return held_at(*load->getPointerOperand(), depth);
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&pointer)) {
    const Found found = returned(*call);
    return found ? found : kept(*call, depth);
  }
  if (llvm::isa<llvm::PHINode>(pointer)) return merged(llvm::cast<llvm::User>(pointer), 0, depth);
  if (llvm::isa<llvm::SelectInst>(pointer)) return merged(llvm::cast<llvm::User>(pointer), 1, depth);
  return std::nullopt;
}

// Inside of the struct, or by whole ones.
PointerTypes::Found PointerTypes::moved(const llvm::GEPOperator& gep, unsigned depth) {
  const Found base = find(gep.getPointerOperand(), depth + 1);
  if (!base) return std::nullopt;
  const unsigned bits = layout_.getIndexTypeSizeInBits(gep.getType());
  llvm::MapVector<llvm::Value*, llvm::APInt> steps;
  llvm::APInt constant(bits, 0);
  if (!gep.collectOffset(layout_, bits, steps, constant)) return std::nullopt;
  const std::uint64_t size = size_of(base->type);
  for (const auto& [value, stride] : steps)
    if (stride.getZExtValue() % size != 0) return std::nullopt;
  std::uint64_t offset = base->offset + constant.getZExtValue();
  const std::uint64_t element = layout_.getTypeAllocSize(gep.getSourceElementType()).getKnownMinValue();
  if (element == size && constant.isNonNegative()) offset %= size;
  return offset < size ? Found(PointsTo{base->type, offset}) : std::nullopt;
}

PointerTypes::Found PointerTypes::moved_far(const llvm::GEPOperator& gep) {
  const Found base = find(gep.getPointerOperand(), 1);
  llvm::APInt constant(layout_.getIndexTypeSizeInBits(gep.getType()), 0);
  if (!base || !gep.accumulateConstantOffset(layout_, constant) || constant.isNegative()) return std::nullopt;
  return PointsTo{base->type, (base->offset + constant.getZExtValue()) % size_of(base->type)};
}

std::optional<PointsTo> PointerTypes::accessed_by(const llvm::Instruction& access, const llvm::Value* pointer) {
  if (Found found = of(pointer)) return found;
  const auto* gep = llvm::dyn_cast<llvm::GEPOperator>(pointer);
  const llvm::MDNode* tag = access.getMetadata(llvm::LLVMContext::MD_tbaa);
  const Found far = gep != nullptr && tag != nullptr ? moved_far(*gep) : std::nullopt;
  return far && tbaa_says(*tag, *far) ? of_user(far) : std::nullopt;
}

PointerTypes::Found PointerTypes::kept(const llvm::CallBase& call, unsigned depth) {
  Found found;
  for (const llvm::User* user : call.users()) {
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
    if (store != nullptr && store->getValueOperand() == &call)
      found = larger(found, held_at(*store->getPointerOperand(), depth));
  }
  return found;
}

PointerTypes::Found PointerTypes::held_at(const llvm::Value& memory, unsigned depth) {
  if (const llvm::DIType* declared = declared_type(memory))
    if (const llvm::DICompositeType* target = pointee_struct(declared)) return at_start(target);
  Found at = find(&memory, depth + 1);
  for (unsigned k = 0; at && k < kMaxDepth; ++k) {
    const Part part = part_at(*at);
    const llvm::DICompositeType* inner = as_struct(part.type);
    if (inner == nullptr) return part.offset == 0 ? at_start(pointee_struct(part.type)) : std::nullopt;
    at = PointsTo{inner, part.offset};
  }
  return std::nullopt;
}

// A choice: those that are known must agree.
PointerTypes::Found PointerTypes::merged(const llvm::User& choice, unsigned first, unsigned depth) {
  Found all;
  for (unsigned k = first; k < choice.getNumOperands(); ++k) {
    const Found one = find(choice.getOperand(k), depth + 1);
    if (!one) continue;
    if (all && (all->type != one->type || all->offset != one->offset)) return std::nullopt;
    all = one;
  }
  return all;
}

}  // namespace racecast::frontend
