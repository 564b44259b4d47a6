// See escape.h. A closure is walked forwards along uses; where pointers mix (phi, select) or memory is copied, the
// other sides are walked backwards to their allocas and join the closure.
#include "frontend/llvm/lower/escape.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include <vector>

#include "frontend/llvm/lower/types.h"

namespace racecast::frontend {
namespace {

// An intrinsic whose result is its first argument.
bool returns_pointer_argument(const llvm::Value* value) {
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(value);
  if (call == nullptr) return false;
  switch (call->getIntrinsicID()) {
    case llvm::Intrinsic::launder_invariant_group:
    case llvm::Intrinsic::strip_invariant_group:
    case llvm::Intrinsic::ssa_copy: return true;
    default: return false;
  }
}

// The pointer that a derived one is computed from; null where there is none or more than one.
const llvm::Value* pointer_before(const llvm::Value* value) {
  if (const auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(value)) return gep->getPointerOperand();
  if (llvm::isa<llvm::BitCastInst, llvm::FreezeInst>(value)) return llvm::cast<llvm::User>(value)->getOperand(0);
  if (returns_pointer_argument(value)) return llvm::cast<llvm::CallBase>(value)->getArgOperand(0);
  return nullptr;
}

class Closure {
 public:
  Closure(const llvm::AllocaInst* seed, const llvm::DenseMap<const llvm::AllocaInst*, bool>& known) : known_(known) {
    derive_back(seed);
    for (std::size_t next = 0; next < pending_.size() && clean_; ++next) {
      for (const llvm::Use& use : pending_[next]->uses()) {
        follow(use);
        if (!clean_) break;
      }
    }
    // Only now is it known what is derived.
    for (const llvm::ICmpInst* compare : compares_) {
      for (const llvm::Value* side : compare->operands()) {
        if (!derived_.contains(side) && !llvm::isa<llvm::ConstantPointerNull>(side)) clean_ = false;
      }
    }
  }
  bool clean() const { return clean_; }
  const llvm::DenseSet<const llvm::Value*>& derived() const { return derived_; }
  const std::vector<const llvm::AllocaInst*>& allocas() const { return allocas_; }

 private:
  void derive(const llvm::Value* value) {
    if (scalar_type(value->getType()) != program::kPtr) {
      clean_ = false;  // a vector of pointers, another address space
    } else if (derived_.insert(value).second) {
      pending_.push_back(value);
      if (const auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(value)) add(alloca);
    }
  }

  void add(const llvm::AllocaInst* alloca) {
    allocas_.push_back(alloca);
    if (alloca->isUsedWithInAlloca() || alloca->isSwiftError()) clean_ = false;
    if (const auto it = known_.find(alloca); it != known_.end() && !it->second) clean_ = false;
  }

  // All that `value` may point into joins the closure.
  void derive_back(const llvm::Value* value) {
    std::vector<const llvm::Value*> sources{value};
    while (!sources.empty() && clean_) {
      const llvm::Value* source = sources.back();
      sources.pop_back();
      if (derived_.contains(source) || llvm::isa<llvm::ConstantPointerNull, llvm::UndefValue>(source)) continue;
      if (llvm::isa<llvm::AllocaInst>(source)) {
        derive(source);
      } else if (const llvm::Value* before = pointer_before(source)) {
        derive(source);
        sources.push_back(before);
      } else if (llvm::isa<llvm::PHINode, llvm::SelectInst>(source)) {
        derive(source);
        push_sides(source, sources);
      } else {
        clean_ = false;
      }
    }
  }

  static void push_sides(const llvm::Value* mix, std::vector<const llvm::Value*>& sources) {
    if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(mix)) {
      for (const llvm::Value* side : phi->incoming_values()) sources.push_back(side);
    } else {
      sources.push_back(llvm::cast<llvm::SelectInst>(mix)->getTrueValue());
      sources.push_back(llvm::cast<llvm::SelectInst>(mix)->getFalseValue());
    }
  }

  void follow(const llvm::Use& use) {
    const llvm::User* user = use.getUser();
    if (llvm::isa<llvm::PHINode, llvm::SelectInst>(user)) {
      std::vector<const llvm::Value*> sides;
      push_sides(user, sides);
      derive(user);
      for (const llvm::Value* side : sides) derive_back(side);
    } else if (pointer_before(user) == use.get() && use.getOperandNo() == 0) {
      derive(user);
    } else if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
      clean_ = !load->isAtomic() && scalar_type(load->getType()).has_value();
    } else if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) {
      clean_ = use.getOperandNo() == llvm::StoreInst::getPointerOperandIndex() && !store->isAtomic() &&
               scalar_type(store->getValueOperand()->getType()).has_value();
    } else if (const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(user)) {
      compares_.push_back(compare);
    } else if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(user)) {
      follow_intrinsic(*intrinsic, use);
    } else {
      clean_ = false;
    }
  }

  void follow_intrinsic(const llvm::IntrinsicInst& intrinsic, const llvm::Use& use) {
    if (intrinsic.isLifetimeStartOrEnd() || intrinsic.getIntrinsicID() == llvm::Intrinsic::assume) return;
    const auto* memory = llvm::dyn_cast<llvm::MemIntrinsic>(&intrinsic);
    if (memory == nullptr) {
      clean_ = false;
      return;
    }
    const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(memory);
    if (copy != nullptr && &copy->getRawSourceUse() == &use) return;  // reads it
    const auto* length = llvm::dyn_cast<llvm::ConstantInt>(memory->getLength());
    clean_ = length != nullptr && length->getValue().ule(kMaxFollowed);
    if (copy != nullptr) derive_back(copy->getRawSource());
  }

  const llvm::DenseMap<const llvm::AllocaInst*, bool>& known_;
  bool clean_ = true;
  llvm::DenseSet<const llvm::Value*> derived_;
  std::vector<const llvm::Value*> pending_;
  std::vector<const llvm::AllocaInst*> allocas_;
  std::vector<const llvm::ICmpInst*> compares_;
};

}  // namespace

bool Locality::is_local(const llvm::AllocaInst* alloca) {
  if (const auto it = known_.find(alloca); it != known_.end()) return it->second;
  const Closure closure(alloca, known_);
  if (!closure.clean()) {
    // Only this one: what is copied into it may be local all the same.
    known_[alloca] = false;
    return false;
  }
  for (const llvm::AllocaInst* member : closure.allocas()) known_[member] = true;
  pointers_.insert(closure.derived().begin(), closure.derived().end());
  return true;
}

bool is_local_pointer(const llvm::Value* pointer) {
  // Of a pointer's allocas all are local or none: the first one found tells.
  llvm::DenseSet<const llvm::Value*> seen;
  std::vector<const llvm::Value*> sources{pointer};
  while (!sources.empty()) {
    const llvm::Value* source = sources.back();
    sources.pop_back();
    if (!seen.insert(source).second) continue;
    if (const auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(source)) {
      Locality locality;
      return locality.is_local(alloca) && locality.is_local_pointer(pointer);
    }
    if (const llvm::Value* before = pointer_before(source)) sources.push_back(before);
    if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(source)) {
      for (const llvm::Value* side : phi->incoming_values()) sources.push_back(side);
    } else if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(source)) {
      sources.push_back(select->getTrueValue());
      sources.push_back(select->getFalseValue());
    }
  }
  return false;
}

}  // namespace racecast::frontend
