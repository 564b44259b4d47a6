// Lengauer and Tarjan (TOPLAS 1979), their simple version. The tree is then numbered, so that a query is a comparison
// of intervals.
#include "program/graph/dominator_tree.h"

#include <algorithm>
#include <utility>

namespace racecast::program {

DominatorTree::DominatorTree(const Edges& successors, const Edges& predecessors) {
  number_nodes(successors);
  immediate_ = immediate_dominators(predecessors);
  number_tree(immediate_);
}

void DominatorTree::number_nodes(const Edges& successors) {
  order_.assign(successors.size(), kUnreached);
  if (successors.size() == 0) return;
  const auto discover = [&](std::size_t node, std::size_t parent) {
    order_[node] = node_.size();
    node_.push_back(node);
    parent_.push_back(parent);
  };
  std::vector<std::pair<std::size_t, std::size_t>> stack{{0, 0}};  // node, next target to look at
  discover(0, 0);
  while (!stack.empty()) {
    auto& [node, next] = stack.back();
    if (next == successors[node].size()) {
      stack.pop_back();
      continue;
    }
    const std::size_t target = successors[node][next++];
    if (order_[target] != kUnreached) continue;
    discover(target, order_[node]);
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
std::vector<std::size_t> DominatorTree::immediate_dominators(const Edges& predecessors) const {
  const std::size_t n = node_.size();
  std::vector<std::size_t> semi(n);
  for (std::size_t i = 0; i < n; ++i) semi[i] = i;
  std::vector<std::size_t> dominator(n, 0);
  std::vector<std::vector<std::size_t>> bucket(n);
  Forest forest(n, semi);
  for (std::size_t w = n; w-- > 1;) {
    for (const Node predecessor : predecessors[node_[w]]) {
      if (!is_reachable(predecessor)) continue;
      semi[w] = std::min(semi[w], semi[forest.least(order_[predecessor])]);
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

void DominatorTree::number_tree(const std::vector<std::size_t>& dominator) {
  enter_.assign(order_.size(), 0);
  leave_.assign(order_.size(), 0);
  if (dominator.empty()) return;
  std::vector<std::vector<std::size_t>> children(dominator.size());
  for (std::size_t w = 1; w < dominator.size(); ++w) children[dominator[w]].push_back(w);
  std::size_t clock = 0;
  std::vector<std::pair<std::size_t, std::size_t>> stack{{0, 0}};
  enter_[node_[0]] = clock++;
  while (!stack.empty()) {
    auto& [node, next] = stack.back();
    if (next == children[node].size()) {
      leave_[node_[node]] = clock++;
      stack.pop_back();
      continue;
    }
    const std::size_t child = children[node][next++];
    enter_[node_[child]] = clock++;
    stack.emplace_back(child, 0);
  }
}

}  // namespace racecast::program
