#include "frontend/llvm/loops.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>

namespace racecast::frontend {

// LLVM's analyses take functions that they could change; these change nothing.
struct LoopTests::Analyses {
  explicit Analyses(llvm::Function& function)
      : tree(function),
        loops(tree),
        names(llvm::Triple(function.getParent()->getTargetTriple())),
        library(names),
        assumptions(function),
        evolution(function, library, assumptions, tree, loops) {}

  llvm::DominatorTree tree;
  llvm::LoopInfo loops;
  llvm::TargetLibraryInfoImpl names;
  llvm::TargetLibraryInfo library;
  llvm::AssumptionCache assumptions;
  mutable llvm::ScalarEvolution evolution;
};

LoopTests::LoopTests(const llvm::Function& function) {
  if (function.isDeclaration()) return;
  auto made = std::make_unique<Analyses>(const_cast<llvm::Function&>(function));
  if (!made->loops.empty()) analyses_ = std::move(made);
}

LoopTests::~LoopTests() = default;

program::LoopTest LoopTests::test_of(const llvm::BranchInst& branch) const {
  using program::LoopTest;
  if (analyses_ == nullptr) return LoopTest::None;
  for (const llvm::Loop* loop = analyses_->loops.getLoopFor(branch.getParent()); loop != nullptr;
       loop = loop->getParentLoop()) {
    const bool stays0 = loop->contains(branch.getSuccessor(0)), stays1 = loop->contains(branch.getSuccessor(1));
    if (stays0 == stays1) continue;
    const llvm::SCEV* rounds = analyses_->evolution.getExitCount(loop, branch.getParent());
    if (llvm::isa<llvm::SCEVCouldNotCompute>(rounds)) return stays0 ? LoopTest::OtherBody0 : LoopTest::OtherBody1;
    return stays0 ? LoopTest::CountedBody0 : LoopTest::CountedBody1;
  }
  return LoopTest::None;
}

}  // namespace racecast::frontend
