// What a pointer of a function points to, as the source has it: a byte of a struct. LLVM's pointers have no types;
// debug information has those of variables. From there: a field that is a pointer gives a type to what is loaded from
// it and to what is stored there by a call, a call to what it returns, address arithmetic moves inside a struct. At -O0
// as at -O2: arguments, `this` and most locals are known to debug information at any level.
//
// For names in reports only. A cast can make it wrong; nothing but a name may depend on it. Types of libraries are left
// out, but for what users put into them (the account of a std::pair).
//
// Tried: the types of address arithmetic in the IR (gone at -O2, without names of fields), TBAA alone (not there at
// -O0).
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

#include <cstdint>
#include <optional>

namespace racecast::frontend {

struct PointsTo {
  const llvm::DICompositeType* type = nullptr;
  std::uint64_t offset = 0;  // below the size of `type`
};

// Of one function. What was asked once is not looked for again.
class PointerTypes {
 public:
  explicit PointerTypes(const llvm::DataLayout& layout) : layout_(layout) {}
  // A struct of the user's; nullopt: nobody knows, or it is none.
  std::optional<PointsTo> of(const llvm::Value* pointer);
  // The same of the pointer of a load or a store, whose TBAA may say more: `p[2].x` is a field of what p points to, and
  // nothing but a number of bytes behind it once the optimiser has added up.
  std::optional<PointsTo> accessed_by(const llvm::Instruction& access, const llvm::Value* pointer);

 private:
  using Found = std::optional<PointsTo>;
  static constexpr unsigned kMaxDepth = 32;

  Found find(const llvm::Value* pointer, unsigned depth);
  Found derive(const llvm::Value& pointer, unsigned depth);
  Found moved(const llvm::GEPOperator& gep, unsigned depth);
  // By a constant, without a bound: the element that it leads to.
  Found moved_far(const llvm::GEPOperator& gep);
  // What the pointer that lies there points to.
  Found held_at(const llvm::Value& memory, unsigned depth);
  // `p = malloc(n)`: what p points to.
  Found kept(const llvm::CallBase& call, unsigned depth);
  Found merged(const llvm::User& choice, unsigned first, unsigned depth);

  const llvm::DataLayout& layout_;
  llvm::DenseMap<const llvm::Value*, Found> known_;  // nullopt: not known, or being looked for
};

}  // namespace racecast::frontend
