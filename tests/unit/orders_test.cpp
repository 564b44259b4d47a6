// hb and shb on small traces: which pairs of events each leaves unordered. Equality with the brute-force definition is
// a law in tests/property; here is one trace per kind of edge, with a twin where the edge is missing.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "analysis/analysis.h"
#include "analysis/hb/dependent.h"
#include "unit/text_trace.h"

namespace racecast {
namespace {

using Pairs = std::set<std::pair<std::uint64_t, std::uint64_t>>;

analysis::Outputs run(const std::vector<std::string>& analyses, const trace::Trace& trace) {
  Result<analysis::Outputs> outputs = analysis::run(analysis::input_of(trace), analyses);
  EXPECT_TRUE(outputs) << outputs.error().message;
  return outputs ? *std::move(outputs) : analysis::Outputs();
}

Pairs found(const std::string& analysis, const trace::Trace& trace) {
  const analysis::Output output = run({analysis}, trace).by_analysis.at(0);
  Pairs pairs;
  EXPECT_TRUE(output.rejected.empty()) << output.rejected.front();
  for (const finding::Finding& f : output.findings) pairs.emplace(index(f.first.event), index(f.second.event));
  return pairs;
}

// hb and shb together, as the command line does it.
std::vector<finding::Finding> merged_findings(const trace::Trace& trace) {
  const analysis::Outputs outputs = run({"hb", "shb"}, trace);
  std::vector<finding::Finding> all;
  for (const analysis::Output& output : outputs.by_analysis)
    all.insert(all.end(), output.findings.begin(), output.findings.end());
  std::vector<finding::Finding> merged = finding::merge(all, outputs.definitions);
  EXPECT_TRUE(analysis::file_dependent_races(analysis::input_of(trace), outputs, merged));
  return merged;
}

struct Row {
  std::string name, events;
  Pairs hb, shb;
};
class Orders : public testing::TestWithParam<Row> {};

TEST_P(Orders, LeaveUnordered) {
  const trace::Trace trace = text_trace(GetParam().events);
  EXPECT_EQ(found("hb", trace), GetParam().hb) << "hb";
  EXPECT_EQ(found("shb", trace), GetParam().shb) << "shb";
}

std::vector<Row> rows() {
  return {
      {"nothing_orders", "A write x 1 @1\nB read x 1 @2\n", {{0, 1}}, {{0, 1}}},
      {"reads_do_not_conflict", "A read x 0 @1\nB read x 0 @2\n", {}, {}},
      {"atomics_do_not_conflict", "A awrite x 1 relaxed @1\nB aread x 1 relaxed @2\n", {}, {}},
      {"atomic_and_plain_do", "A awrite x 1 seqcst @1\nB read x 1 @2\n", {{0, 1}}, {{0, 1}}},
      {"bytes_apart", "A write x 1 size 4 @1\nB write x+4 1 size 4 @2\n", {}, {}},
      {"bytes_overlap", "A write x 1 size 4 @1\nB write x+3 1 size 2 @2\n", {{0, 1}}, {{0, 1}}},
      {"across_granules", "symbol x 0x8000 64\nA write x+6 1 size 4 @1\nB write x+8 1 size 1 @2\n", {{0, 1}}, {{0, 1}}},
      {"mutex", "A lock m @9\nA write x 1 @1\nA unlock m @9\nB lock m @9\nB read x 1 @2\n", {}, {}},
      {"other_mutex", "A lock m @9\nA write x 1 @1\nA unlock m @9\nB lock n @9\nB read x 1 @2\n", {{1, 4}}, {{1, 4}}},
      {"rdlocks_order_nothing",
       "A rdlock l @9\nA write x 1 @1\nA rwunlock l @9\nB rdlock l @9\nB read x 1 @2\n",
       {{1, 4}},
       {{1, 4}}},
      {"reader_then_writer", "A rdlock l @9\nA read x 1 @1\nA rwunlock l @9\nB wrlock l @9\nB write x 1 @2\n", {}, {}},
      {"writer_then_reader", "A wrlock l @9\nA write x 1 @1\nA rwunlock l @9\nB rdlock l @9\nB read x 1 @2\n", {}, {}},
      {"two_readers_then_writer",
       "A rdlock l @9\nB rdlock l @9\nA read x 0 @1\nB read x 0 @2\nA rwunlock l @9\nB rwunlock l @9\nC wrlock l @9\nC "
       "write x 1 @3\n",
       {},
       {}},
      {"fork", "M write x 1 @1\nM fork T @9\nT read x 1 @2\n", {}, {}},
      {"fork_after", "M fork T @9\nM write x 1 @1\nT read x 1 @2\n", {{1, 2}}, {{1, 2}}},
      {"join", "M fork T @9\nT write x 1 @1\nT end @9\nM join T @9\nM read x 1 @2\n", {}, {}},
      {"notify", "A lock m @9\nA wait c m @9\nB write x 1 @1\nB notify c @9\nA wake c m @9\nA read x 1 @2\n", {}, {}},
      {"spurious_wake",
       "A lock m @9\nA wait c m @9\nB write x 1 @1\nA wake c m spurious @9\nA read x 1 @2\n",
       {{2, 4}},
       {{2, 4}}},
      {"post_down", "A write x 1 @1\nA post s 0 @9\nB down s 0 @9\nB read x 1 @2\n", {}, {}},
      {"barrier", "A write x 1 @1\nA arrive b 2 @9\nB arrive b 2 @9\nB leave b @9\nB read x 1 @2\n", {}, {}},
      {"barrier_next_round",
       "A arrive b 2 @9\nB arrive b 2 @9\nA leave b @9\nA write x 1 @1\nB leave b @9\nB read x 1 @2\n",
       {{3, 5}},
       {{3, 5}}},
      {"once", "A onceenter g @9\nA write x 1 @1\nA oncedone g @9\nB onceseen g @9\nB read x 1 @2\n", {}, {}},
      {"release_acquire", "A write x 1 @1\nA awrite f 1 release @9\nB aread f 1 acquire @9\nB read x 1 @2\n", {}, {}},
      {"relaxed_flag",
       "A write x 1 @1\nA awrite f 1 relaxed @9\nB aread f 1 acquire @9\nB read x 1 @2\n",
       {{0, 3}},
       {}},
      {"release_sequence",
       "A write x 1 @1\nA awrite f 1 release @9\nC rmw f 1 2 relaxed @9\nB aread f 2 acquire @9\nB read x 1 @2\n",
       {},
       {}},
      {"sequence_broken",
       "A write x 1 @1\nA awrite f 1 release @9\nC awrite f 2 relaxed @9\nB aread f 2 acquire @9\nB read x 1 @2\n",
       {{0, 4}},
       {{0, 4}}},
      {"own_relaxed_store_breaks_it",
       "A write x 1 @1\nA awrite f 1 release @9\nA awrite f 2 relaxed @9\nB aread f 2 acquire @9\nB read x 1 @2\n",
       {{0, 4}},
       {}},
      {"fences",
       "A write x 1 @1\nA fence release @9\nA awrite f 1 relaxed @9\nB aread f 1 relaxed @9\nB fence acquire @9\nB "
       "read x 1 @2\n",
       {},
       {}},
      {"one_fence",
       "A write x 1 @1\nA awrite f 1 relaxed @9\nB aread f 1 relaxed @9\nB fence acquire @9\nB read x 1 @2\n",
       {{0, 4}},
       {}},
      {"second_read", "A write x 1 @1\nB read x 1 @2\nB read x 1 @3\n", {{0, 1}, {0, 2}}, {{0, 1}}},
      {"failed_cas_reads",
       "A write x 1 @1\nA awrite f 1 relaxed @9\nB rmw f 1 0 relaxed cas failed @9\nB read x 1 @2\n",
       {{0, 3}},
       {}},
      {"failed_try_keeps_its_cause",
       "A write x 1 @1\nA lock m @9\nB lock m try failed @9\nB read x 1 @2\n",
       {{0, 3}},
       {}},
      {"failed_try_after_all_that",
       "A lock m @9\nA write x 1 @1\nB lock m try failed @9\nB read x 1 @2\n",
       {{1, 3}},
       {{1, 3}}},
      {"two_lives", "A alloc o @9\nA write o 1 @1\nA free o @9\nA alloc o @9\nB write o 2 @2\n", {}, {}},
      {"mutex_of_another_life",
       "A alloc o @9\nA lock o @9\nA write x 1 @1\nA unlock o @9\nA free o @9\nB alloc o @9\nB lock o @9\nB read x 1 "
       "@2\n",
       {{2, 7}},
       {{2, 7}}},
      {"missing_code",
       "symbol y 0x8000 8\nreach 0x8000+8\nA write x 1 @1\nA mbegin %0 f @9\nA mend 0 @9\nB mbegin %0 f @9\nB mend 0 "
       "@9\nB read x 1 @2\n",
       {},
       {}},
      {"missing_code_everything",
       "reach everything\nA write x 1 @1\nA mbegin %0 f @9\nA mend 0 @9\nB read z 0 @9\nB read x 1 @2\n",
       {},
       {}},
  };
}

INSTANTIATE_TEST_SUITE_P(Edges, Orders, testing::ValuesIn(rows()), [](const auto& info) { return info.param.name; });

TEST(DependentRace, IsFiledUnderTheRaceItHangsOn) {
  // 4 happens only because 2 read what 1 wrote; x and y.
  const trace::Trace trace = text_trace("A write y 7 @0\nA write x 1 @1\nB read x 1 @2\nB read y 7 @4\n");
  const std::vector<finding::Finding> findings = merged_findings(trace);
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].kind, finding::Kind::DataRace);
  EXPECT_EQ(findings[1].kind, finding::Kind::DependentRace);
  EXPECT_EQ(findings[1].depends_on, 0u);
}

TEST(DependentRace, ARelaxedFlagIsNoRaceToHangOn) {
  const trace::Trace trace =
      text_trace("A write x 1 @1\nA awrite f 1 relaxed @3\nB aread f 1 relaxed @5\nB read x 1 @2\n");
  const std::vector<finding::Finding> findings = merged_findings(trace);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, finding::Kind::DataRace);
  EXPECT_FALSE(findings[0].depends_on);
  EXPECT_NE(findings[0].reason.find("acquires nothing"), std::string::npos) << findings[0].reason;
}

TEST(Findings, SayLocksAndStacks) {
  const trace::Trace trace = text_trace(
      "A lock m @9\nA rdlock l @9\nA call f @7\nA call g @8\nA write x 1 @1\nA return @8\nB call f @6\nB read x 1 "
      "@2\n");
  const std::vector<finding::Finding> findings = run({"shb"}, trace).by_analysis.at(0).findings;
  ASSERT_EQ(findings.size(), 1u);
  const finding::Finding& f = findings[0];
  ASSERT_EQ(f.first.locks.size(), 2u);
  EXPECT_EQ(name_of_address(trace.definitions, f.first.locks[0].address), "m");
  EXPECT_FALSE(f.first.locks[0].shared);
  EXPECT_TRUE(f.first.locks[1].shared);
  ASSERT_EQ(f.first.call_sites.size(), 2u);
  EXPECT_EQ(trace.definitions.locations[index(f.first.call_sites[0])].label, "8") << "innermost first";
  EXPECT_EQ(f.second.call_sites.size(), 1u);
  EXPECT_TRUE(f.second.locks.empty());
  EXPECT_TRUE(f.schedule);
}

TEST(Findings, MergeUnitesAnalysesAndKeepsTheSchedule) {
  const trace::Trace trace = text_trace("A write y 7 @0\nA write x 1 @1\nB read x 1 @2\nB read y 7 @4\n");
  const std::vector<finding::Finding> merged = merged_findings(trace);
  ASSERT_EQ(merged.size(), 2u);
  EXPECT_EQ(merged[0].analyses, (std::vector<std::string>{"hb", "shb"}));
  EXPECT_EQ(merged[0].grade, finding::Grade::Observed);
  EXPECT_TRUE(merged[0].schedule);
  EXPECT_EQ(merged[1].depends_on, 0u);
  EXPECT_NE(merged[0].fingerprint, merged[1].fingerprint);
}

}  // namespace
}  // namespace racecast
