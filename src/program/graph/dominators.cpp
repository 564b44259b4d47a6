// Lengauer and Tarjan (TOPLAS 1979), their simple version. The tree is then numbered, so that a query is a comparison
// of intervals.
#include "program/graph/dominators.h"

#include <algorithm>
#include <utility>

namespace racecast::program {

Dominators::Dominators(const Function& function) {
  predecessors_.resize(function.blocks.size());
  for (std::size_t b = 0; b < function.blocks.size(); ++b) {
    for (const BlockId target : function.blocks[b].instructions.back().targets) {
      std::vector<BlockId>& list = predecessors_[index(target)];
      // Blocks come in order, so an edge that is there already is the last one.
      if (list.empty() || index(list.back()) != b) list.push_back(static_cast<BlockId>(b));
    }
  }
  number_blocks(function);
  immediate_ = immediate_dominators();
  number_tree(immediate_);
}

void Dominators::number_blocks(const Function& function) {
  order_.assign(function.blocks.size(), kUnreached);
  if (function.blocks.empty()) return;
  const auto discover = [&](std::size_t block, std::size_t parent) {
    order_[block] = block_.size();
    block_.push_back(block);
    parent_.push_back(parent);
  };
  std::vector<std::pair<std::size_t, std::size_t>> stack{{0, 0}};  // block, next target to look at
  discover(0, 0);
  while (!stack.empty()) {
    auto& [block, next] = stack.back();
    const std::vector<BlockId>& targets = function.blocks[block].instructions.back().targets;
    if (next == targets.size()) {
      stack.pop_back();
      continue;
    }
    const std::size_t target = index(targets[next++]);
    if (order_[target] != kUnreached) continue;
    discover(target, order_[block]);
    stack.emplace_back(target, 0);
  }
}

namespace {

// The forest of the algorithm: for a node, the node of least semidominator on its way up to the root of its tree.
class Forest {
 public:
  Forest(std::size_t size, const std::vector<std::size_t>& semi) : semi_(semi), ancestor_(size, kRoot), label_(size) {
    for (std::size_t i = 0; i < size; ++i) label_[i] = i;
  }
  void link(std::size_t parent, std::size_t child) { ancestor_[child] = parent; }
  std::size_t least(std::size_t v) {
    if (ancestor_[v] == kRoot) return label_[v];
    path_.clear();
    for (std::size_t x = v; ancestor_[ancestor_[x]] != kRoot; x = ancestor_[x]) path_.push_back(x);
    for (auto x = path_.rbegin(); x != path_.rend(); ++x) {
      const std::size_t up = ancestor_[*x];
      if (semi_[label_[up]] < semi_[label_[*x]]) label_[*x] = label_[up];
      ancestor_[*x] = ancestor_[up];
    }
    return label_[v];
  }

 private:
  static constexpr std::size_t kRoot = static_cast<std::size_t>(-1);
  const std::vector<std::size_t>& semi_;
  std::vector<std::size_t> ancestor_;
  std::vector<std::size_t> label_;
  std::vector<std::size_t> path_;
};

}  // namespace

// By preorder number, as everything in it.
std::vector<std::size_t> Dominators::immediate_dominators() const {
  const std::size_t n = block_.size();
  std::vector<std::size_t> semi(n);
  for (std::size_t i = 0; i < n; ++i) semi[i] = i;
  std::vector<std::size_t> dominator(n, 0);
  std::vector<std::vector<std::size_t>> bucket(n);
  Forest forest(n, semi);
  for (std::size_t w = n; w-- > 1;) {
    for (const BlockId predecessor : predecessors_[block_[w]]) {
      if (!is_reachable(predecessor)) continue;
      semi[w] = std::min(semi[w], semi[forest.least(order_[index(predecessor)])]);
    }
    bucket[semi[w]].push_back(w);
    forest.link(parent_[w], w);
    for (const std::size_t v : bucket[parent_[w]]) {
      const std::size_t u = forest.least(v);
      dominator[v] = semi[u] < semi[v] ? u : parent_[w];
    }
    bucket[parent_[w]].clear();
  }
  for (std::size_t w = 1; w < n; ++w) {
    if (dominator[w] != semi[w]) dominator[w] = dominator[dominator[w]];
  }
  return dominator;
}

void Dominators::number_tree(const std::vector<std::size_t>& dominator) {
  enter_.assign(order_.size(), 0);
  leave_.assign(order_.size(), 0);
  if (dominator.empty()) return;
  std::vector<std::vector<std::size_t>> children(dominator.size());
  for (std::size_t w = 1; w < dominator.size(); ++w) children[dominator[w]].push_back(w);
  std::size_t clock = 0;
  std::vector<std::pair<std::size_t, std::size_t>> stack{{0, 0}};
  enter_[block_[0]] = clock++;
  while (!stack.empty()) {
    auto& [node, next] = stack.back();
    if (next == children[node].size()) {
      leave_[block_[node]] = clock++;
      stack.pop_back();
      continue;
    }
    const std::size_t child = children[node][next++];
    enter_[block_[child]] = clock++;
    stack.emplace_back(child, 0);
  }
}

}  // namespace racecast::program
