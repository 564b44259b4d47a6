#include "program/graph/loop_forest.h"

#include <algorithm>

#include "base/ids.h"
#include "program/graph/components.h"
#include "program/graph/edges.h"

namespace racecast::program {
namespace {

using Node = Edges::Node;

std::vector<Node> reachable(const Edges& edges) {
  std::vector<Node> found;
  if (edges.size() == 0) return found;
  std::vector<bool> seen(edges.size());
  found.push_back(0);
  seen[0] = true;
  for (std::size_t k = 0; k < found.size(); ++k) {
    for (const Node to : edges[found[k]]) {
      if (seen[to]) continue;
      seen[to] = true;
      found.push_back(to);
    }
  }
  std::ranges::sort(found);
  return found;
}

// Blocks in which loops are to be found, and the loop that they are; edges to its headers are not followed.
struct Region {
  std::vector<Node> blocks;
  std::optional<LoopId> loop;
};

}  // namespace

LoopForest::LoopForest(const Function& function) : innermost_(function.blocks.size()) {
  const Edges edges = edges_of(function);
  const Edges predecessors = edges.reversed();
  std::vector<std::uint32_t> place(edges.size(), kNone32);  // of a block in the region at hand
  std::vector<bool> is_header(edges.size());                // of a loop around
  std::vector<Region> open{{reachable(edges), std::nullopt}};
  std::vector<bool> reached(edges.size());
  for (const Node block : open[0].blocks) reached[block] = true;
  for (std::size_t k = 0; k < open.size(); ++k) {
    const Region region = std::move(open[k]);
    for (std::size_t i = 0; i < region.blocks.size(); ++i) place[region.blocks[i]] = static_cast<std::uint32_t>(i);
    Edges::List inside;
    for (std::size_t i = 0; i < region.blocks.size(); ++i) {
      for (const Node to : edges[region.blocks[i]]) {
        if (place[to] != kNone32 && !is_header[to]) inside.emplace_back(static_cast<Node>(i), place[to]);
      }
    }
    const Components components(Edges(region.blocks.size(), inside));
    std::vector<bool> own_edge(region.blocks.size());
    for (const auto& [from, to] : inside) own_edge[from] = own_edge[from] || from == to;
    for (const Node block : region.blocks) place[block] = kNone32;
    for (const std::vector<Node>& members : components.members) {
      if (members.size() == 1 && !own_edge[members[0]]) continue;
      const auto id = static_cast<LoopId>(loops_.size());
      Loop& loop = loops_.emplace_back();
      loop.parent = region.loop;
      loop.depth = region.loop ? loops_[index(*region.loop)].depth + 1 : 1;
      Region next{{}, id};
      for (const Node member : members) next.blocks.push_back(region.blocks[member]);
      const auto is_member = [&](Node block) { return std::ranges::binary_search(next.blocks, block); };
      for (const Node block : next.blocks) {
        loop.blocks.push_back(static_cast<BlockId>(block));
        innermost_[block] = id;
        const bool entered = block == 0 || std::ranges::any_of(predecessors[block], [&](Node from) {
                               return reached[from] && !is_member(from);
                             });
        if (!entered) continue;
        loop.headers.push_back(static_cast<BlockId>(block));
      }
      for (const BlockId header : loop.headers) is_header[index(header)] = true;
      open.push_back(std::move(next));
    }
  }
}

}  // namespace racecast::program
