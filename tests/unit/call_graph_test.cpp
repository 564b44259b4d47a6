// Who calls whom: by name, through pointers, through tables of methods.
#include "program/graph/call_graph.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "unit/program_builder.h"

namespace racecast::program {
namespace {

using Node = Edges::Node;
using Lists = std::vector<std::vector<Node>>;  // callees of each function

bool calls_itself(const Lists& lists, Node function) {
  std::set<Node> seen;
  std::vector<Node> work = lists[function];
  while (!work.empty()) {
    const Node node = work.back();
    work.pop_back();
    if (seen.insert(node).second) work.insert(work.end(), lists[node].begin(), lists[node].end());
  }
  return seen.contains(function);
}

std::vector<Node> listed(std::span<const Node> nodes) {
  return {nodes.begin(), nodes.end()};
}

// main calls a by name and something through a pointer with one argument; a calls b, b calls a. Addresses of `one`
// (an operand), `none` (a relocation) and `two` are taken; `own` is in no way.
TEST(CallGraph, DirectIndirectAndVirtualCalls) {
  testing::ProgramBuilder builder;
  auto main = builder.function("main");
  auto a = builder.function("a");
  auto b = builder.function("b");
  auto one = builder.function("one");
  auto none = builder.function("none");
  auto two = builder.function("two");
  auto own = builder.function("own");
  auto outside = builder.function("outside");
  outside.fn().blocks.clear();
  const auto table = builder.global("table");
  builder.program.globals[0].bytes.assign(8, 0);
  builder.program.globals[0].relocations = {{0, none.operand(), 0}};
  const auto pointer = main.load(table, kPtr);
  main.add(Op::Call, {pointer, testing::number(1)});
  main.add(Op::Call, {a.operand()});
  main.ret();
  a.add(Op::Call, {b.operand()});
  a.add(Op::Fork, {own.operand()});
  a.ret();
  b.add(Op::Call, {a.operand()});
  b.add(Op::Call, {outside.operand(), one.operand(), two.operand()});
  b.ret();
  one.param();
  one.ret();
  none.ret();
  two.param();
  two.param();
  two.ret();
  own.add(Op::Call, {own.operand()});
  own.ret();
  const CallGraph graph(*builder.build());
  const auto number = [](const auto& f) { return static_cast<Node>(index(f.id())); };
  EXPECT_EQ(listed(graph.callees(main.id())), (std::vector<Node>{number(a), number(one), number(none)}));
  EXPECT_EQ(listed(graph.callees(a.id())), (std::vector<Node>{number(b)}));
  EXPECT_EQ(listed(graph.forks(a.id())), (std::vector<Node>{number(own)}));
  EXPECT_EQ(listed(graph.callers(a.id())), (std::vector<Node>{number(main), number(b)}));
  EXPECT_TRUE(graph.is_address_taken(two.id()));
  EXPECT_FALSE(graph.is_address_taken(own.id()));
  EXPECT_TRUE(graph.leaves(main.id()));
  EXPECT_FALSE(graph.leaves(a.id()));
  EXPECT_TRUE(graph.leaves(b.id()));
  EXPECT_TRUE(graph.is_recursive(a.id()));
  EXPECT_TRUE(graph.is_recursive(own.id()));
  EXPECT_FALSE(graph.is_recursive(main.id()));
  const auto& of = graph.components().of;
  EXPECT_EQ(of[number(a)], of[number(b)]);
  EXPECT_GT(of[number(main)], of[number(a)]);  // callees first
}

// An operation that a library function does is a call of it (program/calls.h), which takes nobody's address.
TEST(CallGraph, OperationsThatFunctionsDo) {
  testing::ProgramBuilder builder;
  auto main = builder.function("main");
  auto lock = builder.function("pthread_mutex_lock");
  auto own = builder.function("malloc");
  auto handler = builder.function("handler");
  lock.fn().blocks.clear();
  const auto mutex = builder.global("m", GlobalKind::Mutex);
  main.add(Op::Lock, {mutex, lock.operand()});
  main.ret();
  own.add(Op::Free, {testing::number(0), handler.operand()});
  own.add(Op::Unlock, {mutex});  // of a litmus program: nobody is called
  own.ret();
  handler.get(Op::Alloc, {testing::number(8), own.operand()}, 0, kPtr);
  handler.ret();
  const CallGraph graph(*builder.build());
  const auto number = [](const auto& f) { return static_cast<Node>(index(f.id())); };
  EXPECT_EQ(listed(graph.callees(main.id())), (std::vector<Node>{number(lock)}));
  EXPECT_TRUE(graph.leaves(main.id()));
  EXPECT_EQ(listed(graph.callees(own.id())), (std::vector<Node>{number(handler)}));
  EXPECT_FALSE(graph.leaves(own.id()));
  EXPECT_TRUE(graph.is_recursive(own.id()));
  for (const auto& f : {lock, own, handler}) EXPECT_FALSE(graph.is_address_taken(f.id()));
}

TEST(CallGraph, MethodsByTheirPlace) {
  testing::ProgramBuilder builder;
  auto main = builder.function("main");
  auto f = builder.function("f");
  auto g = builder.function("g");
  const auto object = builder.global("object");
  main.add(Op::VirtualCall, {object}).imm = 1;
  main.ret();
  f.ret();
  g.ret();
  Struct base, derived;
  base.size = derived.size = 8;
  base.methods = {f.id(), FunctionId{kNone32}};
  derived.methods = {f.id(), g.id()};
  builder.program.structs = {base, derived};
  const CallGraph graph(*builder.build());
  EXPECT_EQ(listed(graph.callees(main.id())), (std::vector<Node>{static_cast<Node>(index(g.id()))}));
}

// Edges by name only, against the instructions.
TEST(CallGraph, RandomDirectCalls) {
  std::mt19937 random(10);
  for (int round = 0; round < 200; ++round) {
    Lists lists(1 + random() % 8);
    for (auto& callees : lists) {
      for (unsigned k = static_cast<unsigned>(random() % 3); k > 0; --k)
        callees.push_back(static_cast<Node>(random() % lists.size()));
    }
    testing::ProgramBuilder builder;
    std::vector<testing::ProgramBuilder::Fn> functions;
    for (std::size_t n = 0; n < lists.size(); ++n) functions.push_back(builder.function("f" + std::to_string(n)));
    for (std::size_t n = 0; n < lists.size(); ++n) {
      for (const Node to : lists[n]) functions[n].add(Op::Call, {functions[to].operand()});
      functions[n].ret();
    }
    const CallGraph graph(*builder.build());
    for (Node n = 0; n < lists.size(); ++n) {
      const std::set<Node> wanted(lists[n].begin(), lists[n].end());
      ASSERT_EQ(listed(graph.callees(FunctionId{n})), std::vector<Node>(wanted.begin(), wanted.end()));
      ASSERT_EQ(graph.is_recursive(FunctionId{n}), calls_itself(lists, n));
    }
  }
}

}  // namespace
}  // namespace racecast::program
