// Which blocks of a function must be passed on the way to which others: block a dominates block b if every way from the
// entry to b goes through a. Lengauer and Tarjan's algorithm with path compression, O(m log n) for every graph: Cooper,
// Harvey and Kennedy's iteration is shorter, but quadratic where many blocks leave for one, which a hostile file can
// ask for. No recursion, so that the length of a function does not matter.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "program/program.h"

namespace racecast::program {

class Dominators {
 public:
  // Every block must end in an instruction whose targets are blocks of the function.
  explicit Dominators(const Function& function);

  bool is_reachable(BlockId block) const { return order_[index(block)] != kUnreached; }
  // Reflexive. False where one of them is not reachable.
  bool dominates(BlockId a, BlockId b) const {
    return is_reachable(a) && is_reachable(b) && enter_[index(a)] <= enter_[index(b)] &&
           leave_[index(b)] <= leave_[index(a)];
  }
  // The last block, other than itself, that every way to it goes through; nullopt: it is the entry, or not reachable.
  std::optional<BlockId> immediate(BlockId block) const {
    const std::size_t number = order_[index(block)];
    if (number == kUnreached || number == 0) return std::nullopt;
    return static_cast<BlockId>(block_[immediate_[number]]);
  }
  // Distinct, in order, reachable or not.
  const std::vector<BlockId>& predecessors(BlockId block) const { return predecessors_[index(block)]; }

 private:
  static constexpr std::size_t kUnreached = static_cast<std::size_t>(-1);

  void number_blocks(const Function& function);
  std::vector<std::size_t> immediate_dominators() const;
  void number_tree(const std::vector<std::size_t>& dominator);

  std::vector<std::vector<BlockId>> predecessors_;
  std::vector<std::size_t> order_;          // a block's preorder number
  std::vector<std::size_t> block_;          // the block of a number
  std::vector<std::size_t> parent_;         // a number's parent in the depth-first tree
  std::vector<std::size_t> immediate_;      // a number's immediate dominator
  std::vector<std::size_t> enter_, leave_;  // a block's interval in the dominator tree holds those below it
};

}  // namespace racecast::program
