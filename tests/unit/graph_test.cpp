// Graphs of blocks, each against its definition on random graphs; dominators are in program_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <set>
#include <tuple>

#include "program/graph/components.h"
#include "program/graph/loop_forest.h"
#include "program/graph/postdominators.h"

namespace racecast::program {
namespace {

using Node = Edges::Node;
using Lists = std::vector<std::vector<Node>>;  // targets of each node

Lists random_graph(std::mt19937& random, unsigned max_nodes) {
  const auto below = [&](unsigned bound) { return static_cast<unsigned>(random() % bound); };
  Lists lists(1 + below(max_nodes));
  for (auto& targets : lists) {
    for (unsigned k = below(4); k > 0; --k) targets.push_back(below(static_cast<unsigned>(lists.size())));
  }
  return lists;
}

Edges edges(const Lists& lists) {
  Edges::List all;
  for (std::size_t n = 0; n < lists.size(); ++n) {
    for (const Node to : lists[n]) all.emplace_back(static_cast<Node>(n), to);
  }
  return {lists.size(), all};
}

// A block without targets returns, or, where `stuck` says so, does not.
Function function_of(const Lists& lists, const std::set<Node>& stuck = {}) {
  Function function;
  for (std::size_t n = 0; n < lists.size(); ++n) {
    Instruction end;
    end.op = !lists[n].empty() ? Op::Switch : stuck.contains(static_cast<Node>(n)) ? Op::Unreachable : Op::Return;
    for (const Node to : lists[n]) end.targets.push_back(static_cast<BlockId>(to));
    function.blocks.emplace_back().instructions.push_back(end);
  }
  return function;
}

// Nodes that ways from `from` lead to (itself among them), which do not go through `without` nor use `cut` edges.
std::set<Node> reach(const Lists& lists, Node from, std::optional<Node> without = std::nullopt,
                     const std::set<Node>* only = nullptr, const std::set<Node>* cut = nullptr) {
  std::set<Node> seen;
  std::vector<Node> work;
  if (from != without) work.push_back(from);
  while (!work.empty()) {
    const Node node = work.back();
    work.pop_back();
    if (!seen.insert(node).second) continue;
    for (const Node to : lists[node]) {
      if (to != without && (only == nullptr || only->contains(to)) && (cut == nullptr || !cut->contains(to)))
        work.push_back(to);
    }
  }
  return seen;
}

TEST(Graph, EdgesAndTheirReverse) {
  const Edges graph = edges({{1, 2, 1}, {2}, {0, 2}});
  EXPECT_EQ(std::vector<Node>(graph[0].begin(), graph[0].end()), (std::vector<Node>{1, 2, 1}));
  const Edges back = graph.reversed();
  EXPECT_EQ(std::vector<Node>(back[0].begin(), back[0].end()), (std::vector<Node>{2}));
  EXPECT_EQ(std::vector<Node>(back[1].begin(), back[1].end()), (std::vector<Node>{0}));  // once
  EXPECT_EQ(std::vector<Node>(back[2].begin(), back[2].end()), (std::vector<Node>{0, 1, 2}));
}

TEST(Graph, PostdominatorsByDefinition) {
  std::mt19937 random(7);
  int immediate_found = 0;
  for (int round = 0; round < 2000; ++round) {
    const Lists lists = random_graph(random, 9);
    std::set<Node> stuck;
    for (Node n = 0; n < lists.size(); ++n) {
      if (random() % 3 == 0) stuck.insert(n);
    }
    const Function function = function_of(lists, stuck);
    const Postdominators after(function);
    const auto ends = [&](Node from, std::optional<Node> without) {
      return std::ranges::any_of(reach(lists, from, without),
                                 [&](Node n) { return lists[n].empty() && !stuck.contains(n); });
    };
    const auto by_definition = [&](Node a, Node b) {
      return ends(a, std::nullopt) && ends(b, std::nullopt) && (a == b || !ends(b, a));
    };
    for (Node a = 0; a < lists.size(); ++a) {
      ASSERT_EQ(after.reaches_end(BlockId{a}), ends(a, std::nullopt)) << round << ": " << a;
      for (Node b = 0; b < lists.size(); ++b) {
        ASSERT_EQ(after.postdominates(BlockId{a}, BlockId{b}), by_definition(a, b)) << round << ": " << a << " " << b;
      }
      // The immediate one is postdominated by all others.
      std::optional<BlockId> wanted;
      for (Node p = 0; p < lists.size(); ++p) {
        if (p == a || !by_definition(p, a)) continue;
        bool nearest = true;
        for (Node q = 0; q < lists.size(); ++q)
          nearest = nearest && (q == a || !by_definition(q, a) || by_definition(q, p));
        if (nearest) wanted = BlockId{p};
      }
      ASSERT_EQ(after.immediate(BlockId{a}), wanted) << round << ": " << a;
      immediate_found += wanted ? 1 : 0;
    }
  }
  EXPECT_GT(immediate_found, 500);
}

TEST(Graph, ComponentsByDefinition) {
  std::mt19937 random(8);
  for (int round = 0; round < 2000; ++round) {
    const Lists lists = random_graph(random, 9);
    const Components components(edges(lists));
    for (Node a = 0; a < lists.size(); ++a) {
      const std::set<Node> from_a = reach(lists, a);
      for (Node b = 0; b < lists.size(); ++b) {
        const bool together = from_a.contains(b) && reach(lists, b).contains(a);
        ASSERT_EQ(components.of[a] == components.of[b], together) << round << ": " << a << " " << b;
      }
      for (const Node to : lists[a]) ASSERT_GE(components.of[a], components.of[to]);
      ASSERT_TRUE(std::ranges::binary_search(components.members[components.of[a]], a));
    }
  }
}

// ---- loops

struct NaiveLoop {
  std::set<Node> blocks, headers;
  bool operator<(const NaiveLoop& other) const {
    return std::tie(blocks, headers) < std::tie(other.blocks, other.headers);
  }
  bool operator==(const NaiveLoop&) const = default;
};

// Straight from loop_forest.h, with recursion.
void find_loops(const Lists& lists, const std::set<Node>& reached, const std::set<Node>& region,
                const std::set<Node>& headers, std::set<NaiveLoop>& out) {
  std::set<Node> done;
  for (const Node block : region) {
    if (done.contains(block)) continue;
    std::set<Node> members;
    bool around = false;
    for (const Node to : lists[block]) {
      if (!region.contains(to) || headers.contains(to)) continue;
      around = around || reach(lists, to, std::nullopt, &region, &headers).contains(block);
    }
    if (!around) continue;
    for (const Node other : reach(lists, block, std::nullopt, &region, &headers)) {
      if (reach(lists, other, std::nullopt, &region, &headers).contains(block)) members.insert(other);
    }
    done.insert(members.begin(), members.end());
    NaiveLoop loop{members, {}};
    for (const Node from : reached) {
      for (const Node to : lists[from]) {
        if (members.contains(to) && !members.contains(from)) loop.headers.insert(to);
      }
    }
    if (members.contains(0)) loop.headers.insert(0);
    out.insert(loop);
    std::set<Node> inner = headers;
    inner.insert(loop.headers.begin(), loop.headers.end());
    find_loops(lists, reached, members, inner, out);
  }
}

TEST(Graph, LoopsByDefinition) {
  std::mt19937 random(9);
  std::size_t nested = 0, many_headers = 0;
  for (int round = 0; round < 2000; ++round) {
    const Lists lists = random_graph(random, 9);
    const LoopForest forest(function_of(lists));
    std::set<NaiveLoop> wanted, found;
    const std::set<Node> reached = reach(lists, 0);
    find_loops(lists, reached, reached, {}, wanted);
    for (std::size_t k = 0; k < forest.loops().size(); ++k) {
      const Loop& loop = forest.loops()[k];
      NaiveLoop as_sets;
      for (const BlockId b : loop.blocks) as_sets.blocks.insert(static_cast<Node>(index(b)));
      for (const BlockId b : loop.headers) as_sets.headers.insert(static_cast<Node>(index(b)));
      found.insert(as_sets);
      many_headers += loop.headers.size() > 1 ? 1 : 0;
      if (!loop.parent) {
        ASSERT_EQ(loop.depth, 1u);
        continue;
      }
      ++nested;
      ASSERT_LT(index(*loop.parent), k);
      ASSERT_EQ(loop.depth, forest.loop(*loop.parent).depth + 1);
      ASSERT_TRUE(std::ranges::includes(forest.loop(*loop.parent).blocks, loop.blocks));
    }
    ASSERT_EQ(found, wanted) << round;
    ASSERT_EQ(found.size(), forest.loops().size());
    for (Node b = 0; b < lists.size(); ++b) {
      std::optional<std::size_t> smallest;
      for (const NaiveLoop& loop : wanted) {
        if (loop.blocks.contains(b)) smallest = std::min(smallest.value_or(99), loop.blocks.size());
      }
      const auto innermost = forest.innermost(BlockId{b});
      ASSERT_EQ(innermost.has_value(), smallest.has_value());
      if (innermost) ASSERT_EQ(forest.loop(*innermost).blocks.size(), *smallest);
    }
  }
  EXPECT_GT(nested, 100u);
  EXPECT_GT(many_headers, 100u);
}

TEST(Graph, NestedLoopsOfStructuredCode) {
  // 0 -> 1 (outer header) -> 2 (inner header) -> 3 -> 2, 2 -> 4 -> 1, 1 -> 5
  const LoopForest forest(function_of({{1}, {2, 5}, {3, 4}, {2}, {1}, {}}));
  ASSERT_EQ(forest.loops().size(), 2u);
  const Loop& outer = forest.loops()[0];
  const Loop& inner = forest.loops()[1];
  EXPECT_EQ(outer.blocks, (std::vector<BlockId>{BlockId{1}, BlockId{2}, BlockId{3}, BlockId{4}}));
  EXPECT_EQ(outer.headers, (std::vector<BlockId>{BlockId{1}}));
  EXPECT_EQ(inner.blocks, (std::vector<BlockId>{BlockId{2}, BlockId{3}}));
  EXPECT_EQ(inner.depth, 2u);
  EXPECT_EQ(forest.innermost(BlockId{4}), LoopId{0});
  EXPECT_EQ(forest.innermost(BlockId{3}), LoopId{1});
  EXPECT_EQ(forest.innermost(BlockId{5}), std::nullopt);
}

TEST(Graph, OfAFunctionWithoutBlocks) {
  EXPECT_TRUE(LoopForest(Function{}).loops().empty());
  EXPECT_TRUE(Components(Edges(0, {})).members.empty());
}

}  // namespace
}  // namespace racecast::program
