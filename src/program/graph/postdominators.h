// Which blocks of a function must be passed on the way to its end: block a postdominates block b if every way from b
// that ends in a Return goes through a. Dominators of the graph backwards, from a node that stands for the end.
//
// A block that no way leads out of (it ends in code that throws or aborts, or in a loop for ever) has no postdominators
// and is none: ways into it do not count.
#pragma once

#include <optional>

#include "program/graph/dominator_tree.h"
#include "program/graph/edges.h"
#include "program/program.h"

namespace racecast::program {

class Postdominators {
 public:
  // Every block must end in an instruction whose targets are blocks of the function.
  explicit Postdominators(const Function& function);

  // Does a way lead from here to a Return?
  bool reaches_end(BlockId block) const { return tree_.is_reachable(index(block) + 1); }
  // Reflexive. False where one of them does not reach the end.
  bool postdominates(BlockId a, BlockId b) const { return tree_.dominates(index(a) + 1, index(b) + 1); }
  // The first block, other than itself, that every way from it goes through; nullopt: there is none before the end.
  std::optional<BlockId> immediate(BlockId block) const {
    const auto found = tree_.immediate(index(block) + 1);
    return found && *found != 0 ? std::optional(static_cast<BlockId>(*found - 1)) : std::nullopt;
  }

 private:
  DominatorTree tree_;
};

}  // namespace racecast::program
