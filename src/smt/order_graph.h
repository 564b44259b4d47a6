// The theory of order: the given order plus edges that are added and taken back, last first. Does a reach b? O(1), from
// a row per point that was asked about: on each chain, the first position that the point is before or at.
//
// The idea: rows are monotone along a chain, so those that a new edge u -> v changes are, on each chain, an interval:
// the points that reach u but not v yet. They are found by a binary search per chain, and their old values are kept for
// taking back. Cost of an edge: O(chains * log points + rows changed * chains). Memory: O(points asked about * chains);
// points that were never asked about cost nothing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/hash.h"
#include "smt/solver.h"

namespace racecast::smt {

class OrderGraph {
 public:
  using Node = std::uint32_t;  // a point that was asked about, numbered from 0

  // `base` must outlive it.
  explicit OrderGraph(const BaseOrder& base) : base_(base), chains_(base.chains()), by_chain_(base.chains()) {}

  // The node of a point, made at first use; edges may be present.
  Node node(Point point);
  std::size_t nodes() const { return places_.size(); }

  // Is a before b? Of one node and itself: yes.
  bool reaches(Node a, Node b) const { return row(a)[places_[b].chain] <= places_[b].position; }

  // Adds an edge; `to` must not reach `from`. `number` names it, and must be greater than those of all edges present.
  void add_edge(Node from, Node to, std::uint32_t number);
  // The nodes that reach more since the last add_edge().
  std::span<const Node> changed() const { return changed_; }
  // Takes back the edges whose number is `number` or more.
  void take_back(std::uint32_t number);

  // The numbers of the edges on a path with the fewest edges, only of those below `limit`. `from` must reach `to` by
  // them. Valid until the next call.
  std::span<const std::uint32_t> path(Node from, Node to, std::uint32_t limit);

 private:
  struct Place {
    std::uint32_t chain, position;
  };
  struct OutEdge {
    Node to;
    std::uint32_t number;
  };
  struct Added {
    Node from;
    std::uint32_t number;
    std::size_t undo;  // size of undo_ before
  };
  struct Undo {
    std::size_t index;  // in rows_
    std::uint32_t old;
  };
  struct Young {
    Node node;
    std::size_t edges;
  };
  struct Step {
    Node at;
    std::uint32_t number;  // the edge that leads here
    std::uint32_t previous;
  };

  const std::uint32_t* row(Node n) const { return &rows_[std::size_t{n} * chains_]; }
  const std::uint32_t* base_row(Node n) const { return &base_rows_[std::size_t{n} * chains_]; }
  std::size_t first_at(std::uint32_t chain, std::uint32_t position) const;
  void close_row(Node n);

  const BaseOrder& base_;
  std::uint32_t chains_;
  HashMap<Point, Node> numbers_;
  std::vector<Place> places_;
  std::vector<std::uint32_t> rows_, base_rows_;
  std::vector<std::vector<Node>> by_chain_;  // by position
  std::vector<std::uint32_t> used_;          // chains with a node
  std::vector<std::vector<OutEdge>> out_;
  std::vector<Added> added_;
  std::vector<Undo> undo_;
  std::vector<Node> changed_;
  std::vector<Place> gains_;  // of add_edge()
  // A node made while edges were present has no record of its row without them: its row is made anew when they go. In
  // the order of `edges`, the number of edges that its row has seen without a record.
  std::vector<Young> young_;
  std::vector<bool> stale_;
  // Of path():
  std::vector<std::uint32_t> frontier_, numbers_on_path_;
  std::vector<Step> steps_;
};

}  // namespace racecast::smt
