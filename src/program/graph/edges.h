// A directed graph of numbered nodes, as the algorithms of this folder take it: blocks of a function, functions of a
// program. Two arrays, whatever the size; the edges of a node keep the order in which they were given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "program/program.h"

namespace racecast::program {

class Edges {
 public:
  using Node = std::uint32_t;
  // From, to; both below `nodes`. An edge that is given twice is there twice.
  using List = std::vector<std::pair<Node, Node>>;

  Edges(std::size_t nodes, const List& list);

  std::size_t size() const { return first_.size() - 1; }
  std::span<const Node> operator[](std::size_t node) const {
    return std::span(to_).subspan(first_[node], first_[node + 1] - first_[node]);
  }
  // Every edge the other way round, once; the edges of a node ascend.
  Edges reversed() const;

 private:
  std::vector<std::size_t> first_;  // by node, and one more
  std::vector<Node> to_;
};

// Between the blocks of a function, each of which must end in an instruction whose targets are blocks of it.
Edges edges_of(const Function& function);

}  // namespace racecast::program
