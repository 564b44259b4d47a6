#include "program/graph/components.h"

#include <algorithm>

#include "base/ids.h"

namespace racecast::program {

Components::Components(const Edges& edges) : of(edges.size(), kNone32) {
  using Node = Edges::Node;
  struct Open {
    Node node;
    std::size_t next;
  };
  std::vector<std::uint32_t> number(edges.size(), kNone32), low(edges.size(), 0);
  std::vector<Node> pending;  // found, and not yet in a component
  std::vector<Open> stack;
  std::uint32_t found = 0;
  const auto open = [&](Node node) {
    number[node] = low[node] = found++;
    pending.push_back(node);
    stack.push_back({node, 0});
  };
  const auto close = [&](Node root) {
    std::vector<Node>& all = members.emplace_back();
    do {
      all.push_back(pending.back());
      of[pending.back()] = static_cast<std::uint32_t>(members.size() - 1);
      pending.pop_back();
    } while (all.back() != root);
    std::ranges::sort(all);
  };
  for (std::size_t root = 0; root < edges.size(); ++root) {
    if (number[root] != kNone32) continue;
    open(static_cast<Node>(root));
    while (!stack.empty()) {
      const Node node = stack.back().node;
      if (stack.back().next < edges[node].size()) {
        const Node to = edges[node][stack.back().next++];
        if (number[to] == kNone32)
          open(to);
        else if (of[to] == kNone32)
          low[node] = std::min(low[node], number[to]);
        continue;
      }
      stack.pop_back();
      if (!stack.empty()) low[stack.back().node] = std::min(low[stack.back().node], low[node]);
      if (low[node] == number[node]) close(node);
    }
  }
}

}  // namespace racecast::program
