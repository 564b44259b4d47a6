// Which blocks of a function must be passed on the way to which others: block a dominates block b if every way from the
// entry to b goes through a (dominator_tree.h).
#pragma once

#include <optional>
#include <span>

#include "program/graph/dominator_tree.h"
#include "program/graph/edges.h"
#include "program/program.h"

namespace racecast::program {

class Dominators {
 public:
  // Every block must end in an instruction whose targets are blocks of the function.
  explicit Dominators(const Function& function) : Dominators(edges_of(function)) {}

  bool is_reachable(BlockId block) const { return tree_.is_reachable(index(block)); }
  // Reflexive. False where one of them is not reachable.
  bool dominates(BlockId a, BlockId b) const { return tree_.dominates(index(a), index(b)); }
  // The last block, other than itself, that every way to it goes through; nullopt: it is the entry, or not reachable.
  std::optional<BlockId> immediate(BlockId block) const {
    const auto found = tree_.immediate(index(block));
    return found ? std::optional(static_cast<BlockId>(*found)) : std::nullopt;
  }
  // Numbers of blocks: distinct, in order, reachable or not.
  std::span<const Edges::Node> predecessors(BlockId block) const { return predecessors_[index(block)]; }

 private:
  explicit Dominators(const Edges& successors)
      : predecessors_(successors.reversed()), tree_(successors, predecessors_) {}

  Edges predecessors_;
  DominatorTree tree_;
};

}  // namespace racecast::program
