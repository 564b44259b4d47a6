// Unexecuted branches: the ways through them (model/detour/detours.h) and the variants that they make
// (model/detour/variant.h). Equality with the oracle, on random programs, is in property/laws_path.h.
#include "model/detour/detours.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "model/detour/variant.h"
#include "unit/recorded_litmus.h"

namespace racecast::model {
namespace {

using trace::Event;
using trace::EventKind;

// The ways of the last thread, through one side at a time.
std::vector<ThreadPath> ways_of(const trace::Trace& trace, DetourFinder& finder) {
  const ThreadId last{static_cast<std::uint32_t>(trace.definitions.threads.size() - 1)};
  return finder.paths(last, {}, [](EventNo) { return true; });
}

std::size_t count(const std::vector<Event>& events, EventKind kind) {
  return static_cast<std::size_t>(std::ranges::count(events, kind, &Event::kind));
}

constexpr const char* kIfElse = R"(
shared int x = 0, y = 0, z = 0
thread T1 { x = 1 }
thread T2 {
  if (x == 1) { y = 1; y = 2 } else { z = 1; if (z > 3) { y = 3 } }
  z = 2
}
run T1 T2
)";

TEST(Detours, EachWayThroughTheOtherSideEndsWhereTheSidesJoin) {
  const trace::Trace trace = recorded(kIfElse);
  auto finder = DetourFinder::make(trace);
  ASSERT_TRUE(finder.has_value());
  const auto ways = ways_of(trace, *finder);
  ASSERT_EQ(ways.size(), 2U);  // z > 3, and not
  for (const ThreadPath& way : ways) {
    ASSERT_EQ(way.detours.size(), 1U);
    const Detour& detour = way.detours.front();
    EXPECT_EQ(detour.stop, SideStop::None);
    EXPECT_EQ(count(detour.events, EventKind::Read), 1U);
    EXPECT_EQ(count(detour.events, EventKind::Branch), 1U);
    ASSERT_TRUE(detour.resume.has_value());
    EXPECT_EQ(*detour.resume, detour.branch + 3);  // behind both writes of y
  }
  EXPECT_NE(count(ways[0].detours[0].events, EventKind::Write), count(ways[1].detours[0].events, EventKind::Write));
}

TEST(Detours, WhatIsNotModelledExactlyIsNotLookedAt) {
  const trace::Trace trace = recorded(R"(
shared int x = 0, y = 0
thread T1 { x = 1 }
thread T2 { if (x == 1) { skip } else { while (y < 2) { y = y + 1 } } }
run T1 T2
)");
  auto finder = DetourFinder::make(trace);
  ASSERT_TRUE(finder.has_value());
  EXPECT_TRUE(ways_of(trace, *finder).empty());
  EXPECT_EQ(finder->counts().unmodelled[static_cast<std::size_t>(SideStop::Loop)], 1U);
}

TEST(Detours, AnUncertainIndexEndsTheWay) {
  const trace::Trace trace = recorded(R"(
shared int x = 0, y = 0, a[4] = 0
thread T1 { x = 1 }
thread T2 { if (x == 1) { skip } else { y = 1; a[y] = 1; y = 2 } }
run T1 T2
)");
  auto finder = DetourFinder::make(trace);
  ASSERT_TRUE(finder.has_value());
  const auto ways = ways_of(trace, *finder);
  ASSERT_EQ(ways.size(), 1U);
  const Detour& detour = ways[0].detours[0];
  EXPECT_EQ(detour.stop, SideStop::Index);
  EXPECT_FALSE(detour.resume.has_value());
  EXPECT_EQ(count(detour.events, EventKind::Write), 1U);
}

TEST(Detours, ACountedLoopGoesRoundAsOftenAsItsBoundsSay) {
  const trace::Trace trace = recorded(R"(
shared int x = 0, y = 0
thread T1 { x = 1 }
thread T2 { if (x == 1) { skip } else { for i = 1 to 3 { y = i } } }
run T1 T2
)");
  auto finder = DetourFinder::make(trace);
  ASSERT_TRUE(finder.has_value());
  const auto ways = ways_of(trace, *finder);
  ASSERT_EQ(ways.size(), 1U);
  EXPECT_EQ(count(ways[0].detours[0].events, EventKind::Write), 3U);
}

TEST(Variants, SkippedEventsAreGoneAndReadsOfWhatChangedSaySo) {
  const trace::Trace trace = recorded(kIfElse);
  auto finder = DetourFinder::make(trace);
  ASSERT_TRUE(finder.has_value());
  const auto ways = ways_of(trace, *finder);
  ASSERT_FALSE(ways.empty());
  const auto variant = VariantMaker(trace).make(std::span(&ways[0], 1));
  ASSERT_TRUE(variant.has_value());
  ASSERT_EQ(variant->turns.size(), 1U);
  const EventNo turn = variant->turns[0].event;
  EXPECT_EQ(variant->trace.events[index(turn)].value, ways[0].detours[0].target);
  const std::size_t thread = index(ways[0].thread);
  EXPECT_EQ(variant->divergences[thread].from, turn);
  ASSERT_EQ(variant->divergences[thread].detours.size(), 1U);
  const auto [first, end] = variant->divergences[thread].detours[0];
  EXPECT_EQ(index(end) - index(first), ways[0].detours[0].events.size());
  for (std::size_t i = index(first); i < index(end); ++i)
    if (trace::reads(variant->trace.events[i])) {
      EXPECT_TRUE(variant->trace.events[i].has(trace::kByValue));
    }
  // Two writes of y are skipped; x, which nothing in the detour touches, is read as it was.
  EXPECT_EQ(variant->trace.events.size(), trace.events.size() - 2 + ways[0].detours[0].events.size());
  for (std::size_t i = 0; i < index(turn); ++i) EXPECT_FALSE(variant->trace.events[i].has(trace::kByValue));
}

// Nobody joins a thread that does not end.
TEST(Variants, WhatFollowsAJoinThatWaitsForEverIsLeftOut) {
  const trace::Trace trace = recorded(R"(
shared int x = 0, y = 0, a[4] = 0
thread T1 { x = 1 }
thread T2 { if (x == 1) { skip } else { a[y] = 1 } }
main { fork T1; fork T2; join T1; join T2; x = 5 }
run main T1 T2
)");
  auto finder = DetourFinder::make(trace);
  ASSERT_TRUE(finder.has_value());
  const auto ways = ways_of(trace, *finder);
  ASSERT_EQ(ways.size(), 1U);
  EXPECT_FALSE(ways[0].detours[0].resume.has_value());
  const auto variant = VariantMaker(trace).make(ways);
  ASSERT_TRUE(variant.has_value());
  const bool joins = std::ranges::any_of(
      variant->trace.events, [&](const Event& e) { return e.kind == EventKind::Join && e.child() == ways[0].thread; });
  EXPECT_FALSE(joins);
  EXPECT_EQ(count(variant->trace.events, EventKind::Join), 1U);
  EXPECT_EQ(count(variant->trace.events, EventKind::Write), 1U);
}

}  // namespace
}  // namespace racecast::model
