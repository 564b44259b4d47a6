// Strongly connected components: nodes from which ways lead to each other and back. Tarjan's algorithm (1972), without
// recursion; linear.
#pragma once

#include <cstdint>
#include <vector>

#include "program/graph/edges.h"

namespace racecast::program {

struct Components {
  explicit Components(const Edges& edges);

  // By node. An edge between two components leads to the one with the lower number: of a call graph, callees first.
  std::vector<std::uint32_t> of;
  std::vector<std::vector<Edges::Node>> members;  // by component, ascending
};

}  // namespace racecast::program
