// Which pairs of accesses `maximal` tries: all that conflict and that tier 1 leaves, in a bounded number.
#include "analysis/window/candidates.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "unit/text_trace.h"

namespace racecast {
namespace {

using analysis::predict::AccessPair;
using analysis::predict::Candidates;

struct Found {
  explicit Found(
      const std::string& text, std::uint64_t fixed = 0,
      std::function<bool(EventNo, EventNo)> may_be_concurrent = [](EventNo, EventNo) { return true; })
      : trace(text_trace(text)), execution(trace), candidates(execution, {fixed, std::move(may_be_concurrent), {}}) {}

  using Numbers = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  Numbers tries(std::size_t i) const {
    Numbers pairs;
    for (const AccessPair& pair : candidates.tries(i).pairs) pairs.emplace_back(index(pair.first), index(pair.second));
    return pairs;
  }

  trace::Trace trace;
  model::Execution execution;
  Candidates candidates;
};

TEST(MaximalCandidates, OnePairOfPlacesHasAllItsPairsNearestFirst) {
  const Found found(
      "A write x 1 @1\n"
      "B read y 0 @9\n"
      "B read x 1 @2\n"
      "A lock m\n"
      "A unlock m\n"
      "A write x 2 @1\n"
      "A read x 2 @3\n");
  ASSERT_EQ(found.candidates.size(), 1u) << "y is written by nobody, and A's own accesses do not conflict";
  EXPECT_EQ(found.tries(0), (Found::Numbers{{0, 2}, {2, 5}}));
}

TEST(MaximalCandidates, TheFirstReadOfAStretchStandsForTheOthers) {
  // A's first two reads are followed by nothing that anybody could need; the third is behind a write to shared memory.
  const Found found(
      "A read x 0 @1\n"
      "A branch 1 @5\n"
      "A read x 0 @1\n"
      "A write y 1 @6\n"
      "A read x 0 @1\n"
      "A write z 1 @7\n"
      "A read x 0 @1\n"
      "B write x 1 @2\n"
      "B read y 1 @8\n");
  ASSERT_EQ(found.candidates.size(), 2u);
  EXPECT_EQ(found.tries(0), (Found::Numbers{{4, 7}, {0, 7}})) << "z is A's own";
}

TEST(MaximalCandidates, AWriteStandsForNoOther) {
  const Found found("A write x 1 @1\nA write x 2 @1\nB read x 2 @2\n");
  ASSERT_EQ(found.candidates.size(), 1u);
  EXPECT_EQ(found.tries(0), (Found::Numbers{{1, 2}, {0, 2}}));
}

TEST(MaximalCandidates, WhatMissingCodeReachesStandsForNoOther) {
  const std::string reads = "A read x 0 @1\nA read x 0 @1\nB write x 1 @2\n";
  EXPECT_EQ(Found(reads).tries(0).size(), 1u);
  EXPECT_EQ(Found("reach everything\n" + reads + "C mbegin %0 f\nC mend 0\n").tries(0).size(), 2u)
      << "it is tied to them";
}

TEST(MaximalCandidates, CommonLocksAndOrderAreRefutedWholesale) {
  const std::string text =
      "A lock m\nA write x 1 @1\nA unlock m\n"
      "B lock m\nB write x 2 @2\nB unlock m\n"
      "B write x 3 @3\n";
  const Found found(text);
  ASSERT_EQ(found.candidates.size(), 1u);
  EXPECT_EQ(found.tries(0), (Found::Numbers{{1, 6}}));
  EXPECT_EQ(found.candidates.counts().conflicting, 2u);
  EXPECT_EQ(found.candidates.counts().locked, 1u);
  const Found ordered(text, 0, [](EventNo, EventNo) { return false; });
  EXPECT_EQ(ordered.candidates.size(), 0u);
  EXPECT_EQ(ordered.candidates.counts().ordered, 1u);
}

TEST(MaximalCandidates, OnlyTheIntervalThatOrderLeavesIsTried) {
  // B's accesses 0 to 4 and 10 to 14 are ordered with A's in the middle.
  std::string text;
  for (int i = 0; i < 7; ++i) text += "B write x 1 @2\n";
  text += "A write x 1 @1\n";
  for (int i = 0; i < 7; ++i) text += "B write x 1 @2\n";
  const Found found(text, 0, [](EventNo a, EventNo b) {
    const auto other = index(a) == 7 ? index(b) : index(a);
    return other >= 5 && other < 10;
  });
  ASSERT_EQ(found.candidates.size(), 1u);
  EXPECT_EQ(found.tries(0), (Found::Numbers{{6, 7}, {7, 8}, {5, 7}, {7, 9}}));
  EXPECT_EQ(found.candidates.counts().ordered, 10u);
}

TEST(MaximalCandidates, LivesAndBytesTellAccessesApart) {
  const Found found(
      "A alloc 0x100 size 16\n"
      "A write 0x100 1 @1\n"
      "B write 0x108 1 @2\n"
      "B write 0x107 1 size 2 @3\n"
      "A free 0x100 size 16\n"
      "A alloc 0x100 size 16\n"
      "B write 0x100 1 @4\n");
  std::set<std::pair<std::uint64_t, std::uint64_t>> pairs;
  for (std::size_t i = 0; i < found.candidates.size(); ++i)
    for (const auto& pair : found.tries(i)) pairs.insert(pair);
  EXPECT_EQ(pairs, (std::set<std::pair<std::uint64_t, std::uint64_t>>{{1, 3}, {2, 4}, {3, 4}}));
}

TEST(MaximalCandidates, AnAccessOfSeveralGranulesCountsOnce) {
  const Found found("A write 0x100 ? size 32 @1\nB write 0x104 ? size 24 @2\n");
  ASSERT_EQ(found.candidates.size(), 1u);
  EXPECT_EQ(found.tries(0), (Found::Numbers{{0, 1}}));
}

TEST(MaximalCandidates, FixedEventsTakeNoPart) {
  const Found found("A write x 1 @1\nB write x 2 @2\nA write x 3 @1\n", 1);
  ASSERT_EQ(found.candidates.size(), 1u);
  EXPECT_EQ(found.tries(0), (Found::Numbers{{1, 2}}));
}

TEST(MaximalCandidates, ClassesTakeTurns) {
  // The class (A, B) has two pairs that are near, the class (A, C) one that is far.
  const Found found("C write x 1 @2\nA write x 1 @1\nB write x 1 @2\nB write x 1 @2\n");
  ASSERT_EQ(found.candidates.size(), 2u) << "and B with C";
  const auto tries = found.tries(0).size() == 3 ? found.tries(0) : found.tries(1);
  EXPECT_EQ(tries, (Found::Numbers{{0, 1}, {1, 2}, {1, 3}}));
}

TEST(MaximalCandidates, OfALargeClassSomeAreTriedAndThatIsSaid) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "A write x 1 @1\nB write x 1 @2\n";
  const Found found(text);
  ASSERT_EQ(found.candidates.size(), 1u);
  const Candidates::Tries tries = found.candidates.tries(0);
  EXPECT_FALSE(tries.all) << "10,000 pairs";
  EXPECT_GE(tries.pairs.size(), 100u);
  EXPECT_LE(tries.pairs.size(), analysis::predict::kSomeOfClass);
  std::set<std::uint64_t> firsts;
  for (const AccessPair& pair : tries.pairs) firsts.insert(index(pair.first) / 20);
  EXPECT_EQ(firsts.size(), 10u) << "they are spread over the trace";
  EXPECT_TRUE(Found("A write x 1 @1\nB write x 1 @2\n").candidates.tries(0).all);
}

TEST(MaximalCandidates, ManyPlacesAreBounded) {
  // 300 variables, each with its own pair of accesses at the same two places: one class, all of it.
  std::string text;
  for (int i = 0; i < 300; ++i) text += fmt::format("A write v{} 1 @1\nB write v{} 1 @2\n", i, i);
  const Found found(text);
  ASSERT_EQ(found.candidates.size(), 1u);
  EXPECT_TRUE(found.candidates.tries(0).all);
  EXPECT_EQ(found.candidates.tries(0).pairs.size(), 300u);
}

}  // namespace
}  // namespace racecast
