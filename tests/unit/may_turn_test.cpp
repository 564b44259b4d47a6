// Which branches can go another way at all (analysis/path/may_turn.h). That none is left out is tested by the
// equality of path with its oracle (property/laws_path.h).
#include "analysis/path/may_turn.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "model/order/fork_join.h"
#include "unit/recorded_litmus.h"

namespace racecast::analysis::predict {
namespace {

using trace::Event;
using trace::EventKind;

std::vector<EventNo> branches_of(const trace::Trace& trace) {
  std::vector<EventNo> branches;
  for (std::size_t i = 0; i < trace.events.size(); ++i)
    if (trace.events[i].kind == EventKind::Branch) branches.push_back(EventNo{i});
  return branches;
}

TEST(MayTurn, OnlyWhatAnotherThreadCanChangeInBetween) {
  const trace::Trace trace = recorded(R"(
shared int own = 0, before = 0, after = 0, between = 0
thread child { after = 1; between = 1; before = before + 1 }
main {
  own = 1
  before = 1
  fork child
  if (own == 1) { skip }
  if (between == 1) { skip }
  join child
  if (after == 1) { skip }
  if (before == 2) { skip }
}
run main main main child
)");
  const auto symbols = model::SymbolicTrace::make(trace);
  ASSERT_TRUE(symbols.has_value());
  const MayTurn may_turn(trace, *symbols);
  const std::vector<EventNo> branches = branches_of(trace);
  ASSERT_EQ(branches.size(), 4U);
  EXPECT_FALSE(may_turn(branches[0]));
  EXPECT_TRUE(may_turn(branches[1]));
  EXPECT_FALSE(may_turn(branches[2]));
  EXPECT_FALSE(may_turn(branches[3]));
}

TEST(MayTurn, WhatAnAllowedPathWritesLetsOthersTurn) {
  const trace::Trace trace = recorded(R"(
shared int flag = 0, data = 0
thread T1 { flag = 1 }
thread T2 { if (flag == 1) { skip } else { data = 1 }; if (data == 0) { skip } }
run T1 T2
)");
  const auto symbols = model::SymbolicTrace::make(trace);
  ASSERT_TRUE(symbols.has_value());
  MayTurn may_turn(trace, *symbols);
  const std::vector<EventNo> branches = branches_of(trace);
  ASSERT_EQ(branches.size(), 2U);
  EXPECT_TRUE(may_turn(branches[0]));
  EXPECT_FALSE(may_turn(branches[1]));
  EXPECT_FALSE(may_turn.update());
  auto finder = model::DetourFinder::make(trace);
  ASSERT_TRUE(finder.has_value());
  const ThreadId last{static_cast<std::uint32_t>(trace.definitions.threads.size() - 1)};
  const auto paths = finder->paths(last, {}, [&](EventNo branch) { return may_turn(branch); });
  ASSERT_EQ(paths.size(), 1U);
  may_turn.allow(paths.front());
  EXPECT_TRUE(may_turn.update());
  EXPECT_TRUE(may_turn(branches[1]));
}

TEST(ForkJoinOrder, IsThatOfForksAndJoins) {
  const trace::Trace trace = recorded(R"(
shared int x = 0
thread child { x = 2 }
main { x = 1; fork child; x = 3; join child; x = 4 }
run main main child
)");
  std::array<EventNo, 5> writes{};  // by what they write
  for (std::size_t i = 0; i < trace.events.size(); ++i)
    if (trace.events[i].kind == EventKind::Write) writes.at(trace.events[i].value) = EventNo{i};
  const auto check = [&](const model::ForkJoinOrder& order, bool joined) {
    EXPECT_TRUE(order.before(writes[1], writes[2]));
    EXPECT_FALSE(order.before(std::min(writes[2], writes[3]), std::max(writes[2], writes[3])));
    EXPECT_EQ(order.before(writes[2], writes[4]), joined);
    EXPECT_TRUE(order.before(writes[1], writes[4]));
  };
  check(model::ForkJoinOrder(trace.events, trace.definitions.threads.size()), true);
  check(model::ForkJoinOrder(trace.events, trace.definitions.threads.size(), [](EventNo) { return false; }), false);
}

}  // namespace
}  // namespace racecast::analysis::predict
