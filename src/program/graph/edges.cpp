#include "program/graph/edges.h"

namespace racecast::program {

Edges::Edges(std::size_t nodes, const List& list) : first_(nodes + 1), to_(list.size()) {
  for (const auto& [from, to] : list) ++first_[from + 1];
  for (std::size_t n = 0; n < nodes; ++n) first_[n + 1] += first_[n];
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  for (const auto& [from, to] : list) to_[next[from]++] = to;
}

Edges Edges::reversed() const {
  List list;
  list.reserve(to_.size());
  std::vector<std::size_t> last(size(), size());  // by target: the last node that it has an edge from
  for (std::size_t n = 0; n < size(); ++n) {
    for (const Node to : (*this)[n]) {
      if (std::exchange(last[to], n) != n) list.emplace_back(to, static_cast<Node>(n));
    }
  }
  return {size(), list};
}

Edges edges_of(const Function& function) {
  Edges::List list;
  for (std::size_t b = 0; b < function.blocks.size(); ++b) {
    for (const BlockId target : function.blocks[b].instructions.back().targets) {
      list.emplace_back(static_cast<Edges::Node>(b), static_cast<Edges::Node>(index(target)));
    }
  }
  return {function.blocks.size(), list};
}

}  // namespace racecast::program
