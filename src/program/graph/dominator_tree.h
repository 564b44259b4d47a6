// Which nodes of a graph must be passed on the way to which others: node a dominates node b if every way from the root
// to b goes through a. Lengauer and Tarjan's algorithm with path compression, O(m log n) for every graph: Cooper,
// Harvey and Kennedy's iteration is shorter, but quadratic where many nodes leave for one, which a hostile file can
// ask for. No recursion, so that the size of a graph does not matter.
//
// dominators.h and postdominators.h ask it about functions.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "program/graph/edges.h"

namespace racecast::program {

class DominatorTree {
 public:
  using Node = Edges::Node;

  // Node 0 is the root. `predecessors` is `successors` reversed.
  DominatorTree(const Edges& successors, const Edges& predecessors);

  bool is_reachable(std::size_t node) const { return order_[node] != kUnreached; }
  // Reflexive. False where one of them is not reachable.
  bool dominates(std::size_t a, std::size_t b) const {
    return is_reachable(a) && is_reachable(b) && enter_[a] <= enter_[b] && leave_[b] <= leave_[a];
  }
  // The last node, other than itself, that every way to it goes through; nullopt: it is the root, or not reachable.
  std::optional<Node> immediate(std::size_t node) const {
    const std::size_t number = order_[node];
    if (number == kUnreached || number == 0) return std::nullopt;
    return static_cast<Node>(node_[immediate_[number]]);
  }

 private:
  static constexpr std::size_t kUnreached = static_cast<std::size_t>(-1);

  void number_nodes(const Edges& successors);
  std::vector<std::size_t> immediate_dominators(const Edges& predecessors) const;
  void number_tree(const std::vector<std::size_t>& dominator);

  std::vector<std::size_t> order_;          // a node's preorder number
  std::vector<std::size_t> node_;           // the node of a number
  std::vector<std::size_t> parent_;         // a number's parent in the depth-first tree
  std::vector<std::size_t> immediate_;      // a number's immediate dominator
  std::vector<std::size_t> enter_, leave_;  // a node's interval in the dominator tree holds those below it
};

}  // namespace racecast::program
