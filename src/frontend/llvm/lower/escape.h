// Which stack slots no other thread can reach: their accesses are in the model only, not in the recording.
//
// An alloca is local if its address only flows through geps, casts, phis and selects into loads and stores of 1 to 64
// bits *to* it, lifetime marks, comparisons with null or with itself, and memory intrinsics that the model can follow:
// those that read it, and those that fill it with a byte or from local memory, with a constant length of at
// most kMaxFollowed bytes. A call always lets it escape, whatever its attributes say: the callee may be recorded, and
// its accesses then need an object that lives.
//
// A phi or select of a local pointer has local pointers on all sides, so every access is either local or not. Hence
// locality is a property of a closure: an alloca, all that its address mixes with, and all that is copied into
// it. Each alloca costs the uses in its closure; one that fails stops there.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>

#include <cstdint>

namespace llvm {
class AllocaInst;
class Value;
}  // namespace llvm

namespace racecast::frontend {

inline constexpr std::uint64_t kMaxFollowed = 1024;

class Locality {
 public:
  bool is_local(const llvm::AllocaInst* alloca);
  // Is this pointer into local memory? All allocas it may stem from must have been asked for before, by
  // is_local(alloca).
  bool is_local_pointer(const llvm::Value* pointer) const { return pointers_.contains(pointer); }

 private:
  llvm::DenseMap<const llvm::AllocaInst*, bool> known_;
  llvm::DenseSet<const llvm::Value*> pointers_;
};

// The same for one pointer, from scratch: for who asks rarely. It must be asked before the function is changed.
bool is_local_pointer(const llvm::Value* pointer);

}  // namespace racecast::frontend
