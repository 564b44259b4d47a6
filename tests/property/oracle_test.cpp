// The oracle on traces small enough to be worked out by hand from docs/semantics.md, section 6: what each analysis
// reports, and where they differ. Events count from 0.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "property/oracle_order.h"
#include "trace/text.h"
#include "trace/validator.h"

namespace racecast::property {
namespace {

using Pairs = std::set<std::pair<int, int>>;

trace::Trace parse(const std::string& lines) {
  const Result<trace::Trace> trace = trace::parse_text("racecast-trace 1\n" + lines, "test");
  EXPECT_TRUE(trace) << trace.error().message << "\n" << lines;
  if (!trace) return {};
  const Status valid = trace::validate(*trace);
  EXPECT_TRUE(valid) << valid.error().message << "\n" << lines;
  return *trace;
}

Pairs numbers(const std::set<oracle::Pair>& pairs) {
  Pairs result;
  for (const auto& [a, b] : pairs) result.insert({static_cast<int>(index(a)), static_cast<int>(index(b))});
  return result;
}

// `expected` by the name of the analysis, or "maximal"; an analysis that is not named is not looked at.
void expect(const std::string& lines, const std::map<std::string, Pairs>& expected) {
  const trace::Trace trace = parse(lines);
  for (const auto& [name, pairs] : expected) {
    const Pairs found =
        numbers(name == "maximal" ? oracle::races(trace).pairs() : oracle::pairs_of(name, trace).value());
    EXPECT_EQ(found, pairs) << name << "\n" << lines;
  }
}

bool can_deadlock(const std::string& lines) {
  return oracle::deadlock(parse(lines)).witness.has_value();
}

TEST(OracleOrders, WcpSeesWhatEmptySectionsHideFromHb) {
  expect("T0 write x ?\nT0 lock m\nT0 unlock m\nT1 lock m\nT1 unlock m\nT1 write x ?\n", {{"hb", {}},
                                                                                          {"shb", {}},
                                                                                          {"cp", {{0, 5}}},
                                                                                          {"wcp", {{0, 5}}},
                                                                                          {"syncp", {{0, 5}}},
                                                                                          {"hybrid", {{0, 5}}},
                                                                                          {"lockset", {{0, 5}}},
                                                                                          {"fasttrack", {}},
                                                                                          {"maximal", {{0, 5}}}});
}

TEST(OracleOrders, ConflictInsideOrdersTheSections) {
  expect("T0 write x ?\nT0 lock m\nT0 write y ?\nT0 unlock m\nT1 lock m\nT1 read y ?\nT1 unlock m\nT1 write x ?\n",
         {{"cp", {}}, {"wcp", {}}, {"syncp", {}}, {"hybrid", {{0, 7}}}, {"maximal", {}}});
}

// cp orders the whole second section, wcp only from the conflicting access on.
TEST(OracleOrders, WcpOrdersLessThanCp) {
  expect("T0 write x ?\nT0 lock m\nT0 write y ?\nT0 unlock m\nT1 lock m\nT1 write x ?\nT1 write y ?\nT1 unlock m\n",
         {{"hb", {}}, {"cp", {}}, {"wcp", {{0, 5}}}, {"syncp", {{0, 5}}}});
}

// The race needs T1's section before T0's.
TEST(OracleOrders, SwappedSectionsAreNotSyncPreserving) {
  expect("T0 lock m\nT0 write x ?\nT0 unlock m\nT1 lock m\nT1 unlock m\nT1 write x ?\n",
         {{"hb", {}}, {"wcp", {{1, 5}}}, {"cp", {{1, 5}}}, {"syncp", {}}, {"maximal", {{1, 5}}}});
}

TEST(OracleOrders, RuleBOrdersReleasesOfOuterSections) {
  // y orders the inner sections, so k's releases, so what is before and after them.
  expect(
      "T0 write x ?\nT0 lock k\nT0 lock m\nT0 write y ?\nT0 unlock m\nT0 unlock k\n"
      "T1 lock k\nT1 lock m\nT1 read y ?\nT1 unlock m\nT1 unlock k\nT1 write x ?\n",
      {{"wcp", {}}, {"cp", {}}});
}

TEST(OracleOrders, RecursiveLockIsOneScope) {
  // The access after the inner unlock is still inside.
  expect(
      "T0 lock r recursive\nT0 lock r recursive\nT0 unlock r recursive\nT0 write x ?\nT0 unlock r recursive\n"
      "T1 lock r recursive\nT1 write x ?\nT1 unlock r recursive\n",
      {{"hybrid", {}}, {"wcp", {}}, {"lockset", {}}, {"syncp", {}}});
  const trace::Trace trace = parse("T0 lock r recursive\nT0 lock r recursive\nT0 unlock r recursive\n");
  const oracle::Facts facts(trace);
  const std::vector<oracle::Scope> scopes = oracle::scopes_of(facts);
  ASSERT_EQ(scopes.size(), 1u);
  EXPECT_EQ(scopes[0].end, -1);
  EXPECT_EQ(scopes[0].events, (std::vector<int>{0, 1, 2}));
}

TEST(OracleOrders, WaitEndsAScopeAndWakeBeginsOne) {
  const trace::Trace trace =
      parse("T0 lock m\nT0 wait c m\nT1 lock m\nT1 notify c\nT1 unlock m\nT0 wake c m\nT0 unlock m\n");
  const oracle::Facts facts(trace);
  const std::vector<oracle::Scope> scopes = oracle::scopes_of(facts);
  ASSERT_EQ(scopes.size(), 3u);
  EXPECT_EQ(scopes[0].events, (std::vector<int>{0, 1}));
  EXPECT_EQ(scopes[1].events, (std::vector<int>{2, 3, 4}));
  EXPECT_EQ(scopes[2].events, (std::vector<int>{5, 6}));
}

TEST(OracleOrders, NotifyOrdersWithoutTheLock) {
  expect(
      "T0 lock m\nT0 wait c m\nT1 write x ?\nT1 notify c\nT1 write y ?\nT0 wake c m\nT0 unlock m\nT0 read x ?\nT0 "
      "write y ?\n",
      {{"wcp", {{4, 8}}}, {"hybrid", {{4, 8}}}, {"syncp", {{4, 8}}}});
}

TEST(OracleOrders, ReadersDoNotExcludeEachOther) {
  // A write under a reader's hold, and a read under another's.
  expect("T0 rdlock w\nT0 write x ?\nT0 rwunlock w\nT1 rdlock w\nT1 read x ?\nT1 rwunlock w\n",
         {{"hb", {{1, 4}}}, {"wcp", {{1, 4}}}, {"hybrid", {{1, 4}}}, {"syncp", {{1, 4}}}, {"lockset", {}}});
  expect("T0 wrlock w\nT0 write x ?\nT0 rwunlock w\nT1 rdlock w\nT1 read x ?\nT1 rwunlock w\n",
         {{"hb", {}}, {"wcp", {}}, {"hybrid", {}}, {"syncp", {}}, {"lockset", {}}});
}

TEST(OracleOrders, FailedTryHoldsNothingAndOrdersNothing) {
  expect("T0 lock m\nT0 write x ?\nT1 lock m try failed\nT1 write x ?\nT0 unlock m\n",
         {{"hb", {{1, 3}}}, {"wcp", {{1, 3}}}, {"hybrid", {{1, 3}}}, {"lockset", {{1, 3}}}, {"syncp", {{1, 3}}}});
  // It needs the lock held.
  expect("T0 write x ?\nT0 lock m\nT1 lock m try failed\nT1 write x ?\n",
         {{"hb", {{0, 3}}}, {"shb", {}}, {"syncp", {}}, {"maximal", {}}});
}

TEST(OracleOrders, LockOfAnotherLifeIsAnotherLock) {
  expect(
      "symbol h 0x5000 8\nT0 write x ?\nT0 alloc h size 8\nT0 lock h\nT0 unlock h\nT0 free h size 8\n"
      "T1 alloc h size 8\nT1 lock h\nT1 unlock h\nT1 write x ?\n",
      {{"hb", {{0, 8}}}, {"hybrid", {{0, 8}}}, {"wcp", {{0, 8}}}});
}

TEST(OracleOrders, ObjectsAreVirginAgain) {
  expect(
      "symbol h 0x5000 8\nT0 alloc h size 8\nT0 write h 1 size 8\nT1 write h 2 size 8\nT1 free h size 8\n"
      "T1 alloc h size 8\nT1 write h 3 size 8\n",
      {{"lockset", {{1, 2}}}, {"hb", {{1, 2}, {1, 3}}}, {"fasttrack", {{1, 2}}}});
}

TEST(OracleOrders, LocksetFollowsEachByte) {
  // Bytes 0 and 1 have one common lock, bytes 2 and 3 none.
  expect(
      "symbol x 0x5000 8\nT0 lock m\nT0 write x 0 size 4\nT0 unlock m\nT1 lock m\nT1 write x 0 size 2\nT1 unlock m\n"
      "T1 write x+2 0 size 1\n",
      {{"lockset", {{1, 6}}}});
}

TEST(OracleOrders, LocksetStates) {
  // Read by all after the first thread wrote: shared, never modified.
  expect("T0 write x ?\nT1 read x ?\nT2 read x ?\n", {{"lockset", {}}});
  expect("T0 write x ?\nT1 read x ?\nT2 read x ?\nT0 write x ?\n", {{"lockset", {{2, 3}}}});
  // The first thread's own accesses do not count until another comes; a read in modified is reported.
  expect("T0 write x ?\nT1 lock m\nT1 write x ?\nT1 unlock m\nT0 read x ?\n", {{"lockset", {{2, 4}}}});
  // Atomic accesses have a lock in common.
  expect("T0 awrite x 1 relaxed\nT1 awrite x 2 relaxed\nT1 aread x 2 relaxed\n", {{"lockset", {}}});
  expect("T0 awrite x 1 relaxed\nT1 awrite x 2 relaxed\nT2 read x 2\n", {{"lockset", {{1, 2}}}});
  // A reader's hold does not protect a write.
  expect("T0 rdlock w\nT0 read x ?\nT0 rwunlock w\nT1 rdlock w\nT1 write x ?\nT1 rwunlock w\n",
         {{"lockset", {{1, 4}}}});
}

TEST(OracleOrders, FasttrackNamesTheFirstRaceOfEachByte) {
  // On bytes 0 to 3 the read is first; on bytes 4 to 7 the write, whose latest partner is T0's second write.
  expect("symbol x 0x5000 8\nT0 write x 0 size 8\nT0 write x+4 0 size 4\nT1 read x 0 size 4\nT1 write x 0 size 8\n",
         {{"hb", {{0, 2}, {0, 3}, {1, 3}}}, {"fasttrack", {{0, 2}, {1, 3}}}});
}

TEST(OracleOrders, SyncpKeepsReadersWithTheirWriters) {
  // T1's read saw T0's write; without it the write of x could not be next to T0's first.
  expect("T0 write x ?\nT0 write y ?\nT1 read y ?\nT1 write x ?\n",
         {{"syncp", {{1, 2}}}, {"shb", {{1, 2}}}, {"hb", {{0, 3}, {1, 2}}}});
}

TEST(OracleOrders, BarrierRoundsKeepTheirOrder) {
  // The third arrival is of the second round: it needs the first round's, though nobody leaves.
  const std::string lines = "T0 write x ?\nT0 arrive b 2\nT1 arrive b 2\nT2 arrive b 2\nT2 write x ?\n";
  expect(lines, {{"hb", {{0, 4}}}, {"shb", {}}, {"syncp", {}}});
}

TEST(OracleDeadlock, OppositeOrderOfLocks) {
  EXPECT_TRUE(
      can_deadlock("T0 lock m\nT0 lock k\nT0 unlock k\nT0 unlock m\nT1 lock k\nT1 lock m\nT1 unlock m\nT1 unlock k\n"));
  EXPECT_FALSE(
      can_deadlock("T0 lock m\nT0 lock k\nT0 unlock k\nT0 unlock m\nT1 lock m\nT1 lock k\nT1 unlock k\nT1 unlock m\n"));
  // A try does not wait; a gate lock around both prevents it.
  EXPECT_FALSE(can_deadlock(
      "T0 lock m\nT0 lock k try\nT0 unlock k\nT0 unlock m\nT1 lock k\nT1 lock m\nT1 unlock m\nT1 unlock k\n"));
  EXPECT_FALSE(
      can_deadlock("T0 lock g\nT0 lock m\nT0 lock k\nT0 unlock k\nT0 unlock m\nT0 unlock g\n"
                   "T1 lock g\nT1 lock k\nT1 lock m\nT1 unlock m\nT1 unlock k\nT1 unlock g\n"));
}

TEST(OracleDeadlock, ThreeThreadsAndReaders) {
  EXPECT_TRUE(
      can_deadlock("T0 lock m\nT0 lock k\nT0 unlock k\nT0 unlock m\nT1 lock k\nT1 lock g\nT1 unlock g\nT1 unlock k\n"
                   "T2 lock g\nT2 lock m\nT2 unlock m\nT2 unlock g\n"));
  EXPECT_TRUE(can_deadlock(
      "T0 rdlock w\nT0 lock m\nT0 unlock m\nT0 rwunlock w\nT1 lock m\nT1 wrlock w\nT1 rwunlock w\nT1 unlock m\n"));
  EXPECT_FALSE(can_deadlock(
      "T0 rdlock w\nT0 lock m\nT0 unlock m\nT0 rwunlock w\nT1 lock m\nT1 rdlock w\nT1 rwunlock w\nT1 unlock m\n"));
}

}  // namespace
}  // namespace racecast::property
