// Which conditional branches are tests of loops, and of loops whose number of rounds is fixed when they are entered
// (program::LoopTest): what path relaxation must know of code that was not executed.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <memory>

#include "program/program.h"

namespace racecast::frontend {

class LoopTests {
 public:
  // The function must not change while this is in use.
  explicit LoopTests(const llvm::Function& function);
  ~LoopTests();
  LoopTests(const LoopTests&) = delete;
  LoopTests& operator=(const LoopTests&) = delete;

  // Of a conditional branch.
  program::LoopTest test_of(const llvm::BranchInst& branch) const;

 private:
  struct Analyses;
  std::unique_ptr<Analyses> analyses_;  // null: the function has no loop
};

}  // namespace racecast::frontend
