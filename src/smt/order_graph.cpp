#include "smt/order_graph.h"

#include <algorithm>

#include "base/check.h"

namespace racecast::smt {

std::size_t OrderGraph::first_at(std::uint32_t chain, std::uint32_t position) const {
  const std::vector<Node>& nodes = by_chain_[chain];
  return static_cast<std::size_t>(std::lower_bound(nodes.begin(), nodes.end(), position,
                                                   [&](Node n, std::uint32_t p) { return places_[n].position < p; }) -
                                  nodes.begin());
}

// What a node reaches: by the given order, and what the first node reached of each chain does. Stale rows are not
// asked: no edge starts or ends at a stale node.
void OrderGraph::close_row(Node n) {
  std::uint32_t* target = &rows_[std::size_t{n} * chains_];
  std::copy_n(base_row(n), chains_, target);
  if (added_.empty()) return;
  for (const std::uint32_t chain : used_) {
    const std::vector<Node>& nodes = by_chain_[chain];
    std::size_t i = first_at(chain, base_row(n)[chain]);
    while (i < nodes.size() && (nodes[i] == n || stale_[nodes[i]])) ++i;
    if (i == nodes.size()) continue;
    const std::uint32_t* from = row(nodes[i]);
    for (std::uint32_t c = 0; c < chains_; ++c) target[c] = std::min(target[c], from[c]);
  }
}

OrderGraph::Node OrderGraph::node(Point point) {
  const auto [it, fresh] = numbers_.try_emplace(point, static_cast<Node>(places_.size()));
  const Node n = it->second;
  if (!fresh) return n;
  const Place place{base_.chain_of(point), base_.position_of(point)};
  places_.push_back(place);
  out_.emplace_back();
  stale_.push_back(false);
  for (std::uint32_t c = 0; c < chains_; ++c) base_rows_.push_back(base_.first_after(point, c));
  rows_.resize(rows_.size() + chains_);
  close_row(n);
  std::vector<Node>& nodes = by_chain_[place.chain];
  if (nodes.empty()) used_.push_back(place.chain);
  nodes.insert(nodes.begin() + static_cast<std::ptrdiff_t>(first_at(place.chain, place.position)), n);
  if (!added_.empty()) young_.push_back({n, added_.size()});
  return n;
}

void OrderGraph::add_edge(Node from, Node to, std::uint32_t number) {
  CHECK(!reaches(to, from));
  added_.push_back({from, number, undo_.size()});
  out_[from].push_back({to, number});
  changed_.clear();
  if (reaches(from, to)) return;
  // What reaches `from` reaches at least as much as it does, so only these columns can change.
  gains_.clear();
  for (std::uint32_t c = 0; c < chains_; ++c)
    if (row(to)[c] < row(from)[c]) gains_.push_back({c, row(to)[c]});
  for (const std::uint32_t chain : used_) {
    const std::vector<Node>& nodes = by_chain_[chain];
    auto end = std::partition_point(nodes.begin(), nodes.end(), [&](Node n) { return reaches(n, from); });
    while (end != nodes.begin()) {
      --end;
      if (reaches(*end, to)) break;
      const std::size_t first = std::size_t{*end} * chains_;
      for (const Place& gain : gains_) {
        std::uint32_t& cell = rows_[first + gain.chain];
        if (gain.position >= cell) continue;
        undo_.push_back({first + gain.chain, cell});
        cell = gain.position;
      }
      changed_.push_back(*end);
    }
  }
}

void OrderGraph::take_back(std::uint32_t number) {
  if (added_.empty() || added_.back().number < number) return;
  std::size_t keep = undo_.size();
  while (!added_.empty() && added_.back().number >= number) {
    out_[added_.back().from].pop_back();
    keep = added_.back().undo;
    added_.pop_back();
  }
  for (; undo_.size() > keep; undo_.pop_back()) rows_[undo_.back().index] = undo_.back().old;

  std::size_t first = young_.size();
  while (first > 0 && young_[first - 1].edges > added_.size()) stale_[young_[--first].node] = true;
  for (std::size_t i = first; i < young_.size(); ++i) {
    close_row(young_[i].node);
    young_[i].edges = added_.size();
  }
  for (std::size_t i = first; i < young_.size(); ++i) stale_[young_[i].node] = false;
  if (added_.empty()) young_.clear();
}

// Breadth first over edges. Of a chain, only what lies before what was reached earlier is new; and what reaches `to` at
// all is a prefix of it.
std::span<const std::uint32_t> OrderGraph::path(Node from, Node to, std::uint32_t limit) {
  constexpr std::uint32_t kStart = ~0U;
  frontier_.assign(chains_, BaseOrder::kNever);
  numbers_on_path_.clear();
  steps_.assign(1, {from, kStart, kStart});
  const Place goal = places_[to];
  for (std::uint32_t head = 0; head < steps_.size(); ++head) {
    const std::uint32_t* reached = base_row(steps_[head].at);
    if (reached[goal.chain] <= goal.position) {
      for (std::uint32_t i = head; steps_[i].number != kStart; i = steps_[i].previous)
        numbers_on_path_.push_back(steps_[i].number);
      return numbers_on_path_;
    }
    for (const std::uint32_t chain : used_) {
      if (reached[chain] >= frontier_[chain]) continue;
      const std::vector<Node>& nodes = by_chain_[chain];
      for (std::size_t i = first_at(chain, reached[chain]); i < nodes.size(); ++i) {
        if (places_[nodes[i]].position >= frontier_[chain] || !reaches(nodes[i], to)) break;
        for (const OutEdge& e : out_[nodes[i]])
          if (e.number < limit && reaches(e.to, to)) steps_.push_back({e.to, e.number, head});
      }
      frontier_[chain] = reached[chain];
    }
  }
  CHECK(false, "no path");
}

}  // namespace racecast::smt
