// An IRBuilder whose instructions have a place in the source: that of what they belong to, or at least its function
// (calls in a function with debug information need one).
#pragma once

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>

namespace racecast::frontend {

class Builder : public llvm::IRBuilder<> {
 public:
  // Inserts before `before`, with the place `place`, or that of `before` where it has none.
  explicit Builder(llvm::Instruction& before, const llvm::DebugLoc& place = {}) : llvm::IRBuilder<>(&before) {
    if (place) SetCurrentDebugLocation(place);
    if (getCurrentDebugLocation()) return;
    if (llvm::DISubprogram* subprogram = before.getFunction()->getSubprogram()) {
      SetCurrentDebugLocation(llvm::DILocation::get(before.getContext(), 0, 0, subprogram));
    }
  }
};

}  // namespace racecast::frontend
