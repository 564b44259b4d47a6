// wcp and cp on small traces, by the labels of the pairs that they leave unordered (findings and candidates), each rule
// with a twin in which it does not apply; then what needs long traces: trimmed logs, long scopes, windows. Equality
// with the brute-force definition is a law in tests/property.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "analysis/analysis.h"
#include "trace/validator.h"
#include "unit/text_trace.h"

namespace racecast {
namespace {

using Labels = std::set<std::string>;

trace::Trace valid_trace(const std::string& events) {
  trace::Trace trace = text_trace(events);
  const Status valid = trace::validate(trace);
  EXPECT_TRUE(valid) << valid.error().message;
  return trace;
}

analysis::Output output_of(const std::string& analysis, const trace::Trace& trace) {
  analysis::Input input = analysis::input_of(trace);
  input.keep_racy_events = true;
  const std::vector<std::string> names{analysis};
  Result<analysis::Outputs> outputs = analysis::run(input, names);
  EXPECT_TRUE(outputs) << outputs.error().message;
  if (!outputs) return {};
  EXPECT_TRUE(outputs->by_analysis[0].rejected.empty()) << outputs->by_analysis[0].rejected.front();
  return std::move(outputs->by_analysis[0]);
}

Labels found(const std::string& analysis, const trace::Trace& trace) {
  const analysis::Output output = output_of(analysis, trace);
  Labels labels;
  for (const auto* list : {&output.findings, &output.candidates})
    for (const finding::Finding& f : *list)
      labels.insert(name_of_location(trace.definitions, f.first.location) + "-" +
                    name_of_location(trace.definitions, f.second.location));
  return labels;
}

// A section of a thread on a lock, around some events.
std::string section(const std::string& thread, const std::string& lock, const std::string& events = "") {
  return thread + " lock " + lock + "\n" + events + thread + " unlock " + lock + "\n";
}
std::string many(const std::string& events, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += events;
  return text;
}

const std::string kA1 = "A write x 1 @1\n", kB2 = "B write x 2 @2\n";
const Labels kRace{"1-2"}, kNone;

struct Row {
  std::string name, events;
  Labels wcp, cp;
};
class Wcp : public testing::TestWithParam<Row> {};

TEST_P(Wcp, LeavesUnordered) {
  const trace::Trace trace = valid_trace(GetParam().events);
  EXPECT_EQ(found("wcp", trace), GetParam().wcp) << "wcp";
  EXPECT_EQ(found("cp", trace), GetParam().cp) << "cp";
}

std::vector<Row> rows_of_rules() {
  const std::string write_y = "A write y 1\n", read_y = "B read y 1\n";
  // C carries what it knows of A's inner section into B's outer one: no access is in both sections of l.
  const auto rule_b = [](const std::string& carried) {
    return section("A", "l", section("A", "m", "A write y 1\n") + kA1) + section("C", "m", carried) +
           section("C", "n") + section("B", "l", section("B", "n")) + kB2;
  };
  const auto same_thread = [](const std::string& between) {
    return "C write x 1 @1\n" + section("C", "n") +
           section("B", "l", section("B", "m", "B write y 1\n") + section("B", "n")) + section("A", "m", between) +
           section("B", "l", section("B", "m")) + kB2;
  };
  return {
      {"empty_sections_order_nothing", kA1 + section("A", "m") + section("B", "m") + kB2, kRace, kRace},
      {"rule_a", kA1 + section("A", "m", write_y) + section("B", "m", read_y) + kB2, kNone, kNone},
      {"rule_a_needs_a_write", kA1 + section("A", "m", "A read y 0\n") + section("B", "m", "B read y 0\n") + kB2, kRace,
       kRace},
      {"rule_a_write_after_read", kA1 + section("A", "m", "A read y 0\n") + section("B", "m", "B write y 1\n") + kB2,
       kNone, kNone},
      {"rule_a_counts_atomics",
       kA1 + section("A", "m", "A awrite y 1 relaxed\n") + section("B", "m", "B aread y 1 relaxed\n") + kB2, kNone,
       kNone},
      {"rule_a_needs_the_same_lock",
       kA1 + section("A", "m", "A awrite y 1 relaxed\n") + section("B", "n", "B aread y 1 relaxed\n") + kB2, kRace,
       kRace},
      // wcp orders the release before the access, cp before the whole section.
      {"rule_a_of_cp_is_stronger", kA1 + section("A", "m", write_y) + section("B", "m", kB2 + read_y), kRace, kNone},
      {"rule_a_orders_the_release", section("A", "m", write_y + kA1) + section("B", "m", read_y) + kB2, kNone, kNone},
      {"rule_a_not_what_follows_the_release", section("A", "m", write_y) + kA1 + section("B", "m", read_y) + kB2, kRace,
       kRace},
      {"rule_a_bytes_apart",
       kA1 + section("A", "m", "A write y 1 size 4\n") + section("B", "m", "B read y+4 0 size 4\n") + kB2, kRace,
       kRace},
      {"rule_a_bytes_overlap",
       kA1 + section("A", "m", "A write y 1 size 4\n") + section("B", "m", "B read y+3 0 size 4\n") + kB2, kNone,
       kNone},
      {"rule_a_some_bytes_of_an_earlier_section",
       kA1 + section("A", "m", "A write y 1 size 8\n") + section("C", "m", "C write y 2 size 4\n") +
           section("B", "m", "B read y+4 0 size 4\n") + kB2,
       kNone, kNone},
      // The latest section that touched y is B's own.
      {"rule_a_latest_of_another_thread",
       kA1 + section("A", "m", "A read y 0\n") + section("B", "m", "B read y 0\n") +
           section("B", "m", "B write y 1\n") + kB2,
       kNone, kNone},
      {"rule_a_inner_access_is_in_outer_section",
       kA1 + section("A", "m", section("A", "n", write_y)) + section("B", "m", read_y) + kB2, kNone, kNone},
      {"rule_a_hand_over_hand",
       "A lock m\nA lock n\nA write y 1\nA unlock m\n" + kA1 + "A unlock n\n" + section("B", "n", read_y) + kB2, kNone,
       kNone},
      {"rule_a_hand_over_hand_outer",
       "A lock m\nA lock n\nA write y 1\n" + kA1 + "A unlock m\nA unlock n\n" + section("B", "m", read_y) + kB2, kNone,
       kNone},
      {"rule_a_hand_over_hand_other",
       "A lock m\nA lock n\nA write y 1\nA unlock m\n" + kA1 + "A unlock n\n" + section("B", "m", read_y) + kB2, kRace,
       kRace},
      {"rule_b", rule_b("C read y 1\n"), kNone, kNone},
      {"rule_b_not_without_rule_a", rule_b("C read z 0\n"), kRace, kRace},
      {"rule_b_in_one_thread", same_thread("A read y 1\n"), kNone, kNone},
      {"rule_b_in_one_thread_not_by_program_order", same_thread(""), kRace, kRace},
      {"rule_c_after",
       kA1 + section("A", "m", write_y) + section("C", "m", "C read y 1\n") + section("C", "n") + section("B", "n") +
           kB2,
       kNone, kNone},
      {"rule_c_after_not_by_hb_alone",
       kA1 + section("A", "m", write_y) + section("C", "m") + section("C", "n") + section("B", "n") + kB2, kRace,
       kRace},
      {"rule_c_before",
       kA1 + section("A", "n") + section("C", "n") + section("C", "m", "C write y 1\n") + section("B", "m", read_y) +
           kB2,
       kNone, kNone},
      {"fork_orders", kA1 + "A fork B\n" + kB2, kNone, kNone},
      {"join_orders", "A fork B\nB write x 1 @1\nB end\nA join B\nA write x 2 @2\n", kNone, kNone},
      {"rule_d_fork_in_a_section", "A lock m\nA fork B\n" + kA1 + "A unlock m\n" + section("B", "m") + kB2, kNone,
       kNone},
      {"rule_d_fork_after_the_section", section("A", "m") + "A fork B\n" + kA1 + section("B", "m") + kB2, kRace, kRace},
      {"rule_d_post_in_a_section",
       "A lock m\nA post s 0\n" + kA1 + "A unlock m\nB lock m\nB down s 0\nB unlock m\n" + kB2, kNone, kNone},
      // With hb before it: as RAPID, although the sections of A and M could be swapped.
      {"rule_d_and_rule_c", section("A", "m", kA1) + section("M", "m") + "M fork B\n" + kB2, kNone, kNone},
      {"rule_d_orders_not_what_follows", section("M", "m") + "M fork B\n" + section("A", "m", kA1) + kB2, kRace, kRace},
      // RAPID takes B's own earlier section of n for known at the end of the later one (rapid_counts_test.cpp).
      {"own_section_is_not_known_by_program_order",
       kA1 + section("A", "m") + section("B", "m") + section("B", "n") + section("B", "n") + kB2, kRace, kRace},
  };
}

std::vector<Row> rows_of_locks() {
  const std::string aread = "B aread y 1 relaxed\n", awrite = "A awrite y 1 relaxed\n";
  const auto reads = [](const std::string& t, const std::string& events) {
    return t + " rdlock l\n" + events + t + " rwunlock l\n";
  };
  const auto writes = [](const std::string& t, const std::string& events) {
    return t + " wrlock l\n" + events + t + " rwunlock l\n";
  };
  const std::string inner = section("A", "m", "A write y 1\n") + kA1;
  const std::string carried = section("C", "m", "C read y 1\n") + section("C", "n");
  const std::string object = "symbol h 0x5000 16\n", make = "A alloc h size 16\n", unmake = "A free h size 16\n";
  return {
      {"readers_do_not_exclude", kA1 + reads("A", awrite) + reads("B", aread) + kB2, kRace, kRace},
      {"reader_then_writer", kA1 + reads("A", awrite) + writes("B", aread) + kB2, kNone, kNone},
      {"writer_then_reader", kA1 + writes("A", awrite) + reads("B", aread) + kB2, kNone, kNone},
      {"two_readers_then_writer",
       kA1 + reads("A", "A aread y 0 relaxed\n") + reads("C", "C aread y 0 relaxed\n") +
           writes("B", "B awrite y 1 relaxed\n") + kB2,
       kNone, kNone},
      {"rule_b_reader_then_writer", reads("A", inner) + carried + writes("B", section("B", "n")) + kB2, kNone, kNone},
      {"rule_b_writer_then_reader", writes("A", inner) + carried + reads("B", section("B", "n")) + kB2, kNone, kNone},
      {"rule_b_not_between_readers", reads("A", inner) + carried + reads("B", section("B", "n")) + kB2, kRace, kRace},
      // The begin of A's section is known only by the release of E's, which comes later in the list of readers.
      {"rule_b_one_reader_knows_another",
       "A rdlock l\n" + section("A", "k") + kA1 + "A rwunlock l\nE rdlock l\n" + section("E", "m", "E write y 1\n") +
           section("E", "k") + "E rwunlock l\n" + carried + writes("B", section("B", "n")) + kB2,
       kNone, kNone},
      {"recursive_lock_is_one_scope",
       "A lock m recursive\nA lock m recursive\nA write y 1\nA unlock m\n" + kA1 +
           "A unlock m\nB lock m recursive\nB read y 1\nB unlock m\n" + kB2,
       kNone, kNone},
      {"wait_ends_a_scope", "A lock m\nA write y 1\n" + kA1 + "A wait c m\n" + section("B", "m", "B read y 1\n") + kB2,
       kNone, kNone},
      {"wake_begins_another",
       "A lock m\nA awrite y 1 relaxed\nA wait c m\nB notify c\nA wake c m\n" + kA1 + "A unlock m\n" +
           section("B", "m", aread) + kB2,
       kRace, kRace},
      {"wake_scope_has_its_accesses",
       "A lock m\nA wait c m\nB notify c\nA wake c m\nA write y 1\n" + kA1 + "A unlock m\n" +
           section("B", "m", "B read y 1\n") + kB2,
       kNone, kNone},
      {"wait_gives_back_all_of_a_recursive_lock",
       "A lock m recursive\nA lock m recursive\nA wait c m\nB notify c\nA wake c m\nA unlock m\nA write y 1\n" + kA1 +
           "A unlock m\n" + section("B", "m", "B read y 1\n") + kB2,
       kNone, kNone},
      {"failed_try_is_no_scope",
       kA1 + section("A", "m", awrite) + "C lock m\nB lock m try failed\n" + aread + "C unlock m\n" + kB2, kRace,
       kRace},
      {"try_is_a_scope", kA1 + section("A", "m", awrite) + "B lock m try\n" + aread + "B unlock m\n" + kB2, kNone,
       kNone},
      {"same_life",
       object + make + kA1 + section("A", "m", "A write h 1 size 8\n") + section("B", "m", "B read h 1 size 8\n") + kB2,
       kNone, kNone},
      {"other_life",
       object + make + kA1 + section("A", "m", "A write h 1 size 8\n") + unmake + make +
           section("B", "m", "B read h 0 size 8\n") + kB2,
       kRace, kRace},
      {"other_life_within_the_scope",
       object + make + kA1 + section("A", "m", "A write h 1 size 8\n" + unmake + make) +
           section("B", "m", "B read h 0 size 8\n") + kB2,
       kRace, kRace},
      {"accessed_in_both_lives_within_the_scope",
       object + make + kA1 + section("A", "m", "A write h 1 size 8\n" + unmake + make + "A write h 1 size 4\n") +
           section("B", "m", "B read h 0 size 8\n") + kB2,
       kNone, kNone},
      {"other_bytes_in_the_second_life",
       object + make + kA1 + section("A", "m", "A write h 1 size 8\n" + unmake + make + "A write h 1 size 4\n") +
           section("B", "m", "B read h+4 0 size 4\n") + kB2,
       kRace, kRace},
      {"neighbour_dies",
       object + "A alloc h+4 size 4\n" + kA1 + section("A", "m", "A write h 1 size 4\n") + "A free h+4 size 4\n" +
           section("B", "m", "B read h 1 size 4\n") + kB2,
       kNone, kNone},
      {"lock_of_another_life",
       object + make + kA1 + section("A", "h", awrite) + unmake + make + section("B", "h", aread) + kB2, kRace, kRace},
      {"lock_of_one_life", object + make + kA1 + section("A", "h", awrite) + section("B", "h", aread) + kB2, kNone,
       kNone},
  };
}

const auto kNames = [](const testing::TestParamInfo<Row>& info) { return info.param.name; };
INSTANTIATE_TEST_SUITE_P(Rules, Wcp, testing::ValuesIn(rows_of_rules()), kNames);
INSTANTIATE_TEST_SUITE_P(Locks, Wcp, testing::ValuesIn(rows_of_locks()), kNames);

class WcpFirstRace : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Both, WcpFirstRace, testing::Values("wcp", "cp"));

// Of partners at one location, the latest; it has a schedule. The second race is a candidate.
TEST_P(WcpFirstRace, IsAFindingWithTheLatestPartner) {
  const trace::Trace trace =
      valid_trace("C read x 0 @1\nA read x 0 @1\nA read z 0 @5\nB write x 1 @2\nB write z 1 @6\n");
  const analysis::Output output = output_of(GetParam(), trace);
  ASSERT_EQ(output.findings.size(), 1u);
  EXPECT_EQ(output.findings[0].first.event, EventNo{1});
  EXPECT_EQ(output.findings[0].second.event, EventNo{3});
  EXPECT_EQ(output.findings[0].grade, finding::Grade::Predicted);
  EXPECT_TRUE(output.findings[0].schedule);
  ASSERT_EQ(output.candidates.size(), 1u);
  EXPECT_EQ(output.candidates[0].second.event, EventNo{4});
  EXPECT_NE(output.candidates[0].reason.find("candidate for the predictor"), std::string::npos);
}

// It is a race, but its schedule swaps two sections, which syncp does not do.
TEST_P(WcpFirstRace, IsACandidateWithoutASchedule) {
  const trace::Trace trace = valid_trace(section("A", "m", kA1) + section("B", "m") + kB2);
  const analysis::Output output = output_of(GetParam(), trace);
  EXPECT_TRUE(output.findings.empty());
  ASSERT_EQ(output.candidates.size(), 1u);
  EXPECT_NE(output.candidates[0].reason.find("this or a deadlock"), std::string::npos);
}

// A partner from an earlier life of some of the bytes is none.
TEST_P(WcpFirstRace, PartnerSharesALivingByte) {
  const trace::Trace trace = valid_trace(
      "symbol h 0x5000 16\nA write h 1 size 2 @1\nA alloc h+2 size 2\nA write h+2 1 size 2 @3\nA free h+2 size 2\n"
      "B write h 2 size 4 @2\n");
  const analysis::Output output = output_of(GetParam(), trace);
  ASSERT_EQ(output.findings.size(), 1u);
  EXPECT_EQ(output.findings[0].first.event, EventNo{0});
}

// What B writes is ordered after A1 by rule (b), from the very first section of m.
std::string first_and_last_section(const std::string& carried, const std::string& between) {
  return section("A", "m", section("A", "n", "A write z 1\n") + kA1) + section("C", "n", carried) + section("C", "k") +
         between + section("B", "m", section("B", "k")) + kB2;
}

TEST(WcpLog, KeepsSectionsThatNobodyKnows) {
  const std::string apart = many(section("A", "m") + section("D", "m") + section("E", "m"), 100);
  EXPECT_EQ(found("wcp", valid_trace(first_and_last_section("C read z 1\n", apart))), kNone);
  EXPECT_EQ(found("wcp", valid_trace(first_and_last_section("", apart))), kRace);
}

// B, which appears late and was not forked, gets from the lock what the log has dropped.
TEST(WcpLog, DropsSectionsThatTheNextHolderKnows) {
  const std::string together = many(section("D", "m", "D write y 1\n") + section("E", "m", "E write y 1\n"), 100);
  EXPECT_EQ(found("wcp", valid_trace(first_and_last_section("C read z 1\n", together))), kNone);
  EXPECT_EQ(found("wcp", valid_trace(first_and_last_section("", together))), kNone);
  EXPECT_EQ(found("wcp", valid_trace(together + kA1 + section("A", "m") + section("B", "m") + kB2)), kRace);
}

// D knows the first section of A, but not the second.
TEST(WcpLog, KeepsTheRest) {
  const auto carry = [](const std::string& from, const std::string& read, const std::string& to) {
    return section("C", from, read) + section("C", to);
  };
  EXPECT_EQ(found("wcp", valid_trace(section("A", "m", section("A", "n", "A write z 1\n")) +
                                     section("A", "m", section("A", "p", "A write w 1\n") + kA1) +
                                     carry("n", "C read z 1\n", "k") + section("D", "m", section("D", "k")) +
                                     carry("p", "C read w 1\n", "q") + section("B", "m", section("B", "q")) + kB2)),
            kNone);
}

// A reader that knows a section is not before other readers: they must still find it in the log.
TEST(WcpLog, ReadersDropNothing) {
  const auto reader = [](const std::string& t, const std::string& events) {
    return t + " rdlock l\n" + events + t + " rwunlock l\n";
  };
  const std::string start = "A wrlock l\n" + section("A", "n", "A write z 1\n") + kA1 + "A rwunlock l\n" +
                            section("C", "n", "C read z 1\n") + section("C", "k");
  EXPECT_EQ(found("wcp", valid_trace(start + reader("D", section("D", "k")) + reader("B", section("B", "k")) + kB2)),
            kNone);
}

// Long enough to be merged on the way.
TEST(WcpLongScope, KeepsItsAccesses) {
  std::string accesses;
  for (int i = 0; i < 1000; ++i) accesses += (i < 50 ? "A write v" : "A read v") + std::to_string(i % 50) + " 1\n";
  EXPECT_EQ(found("wcp", valid_trace(kA1 + section("A", "m", accesses) + section("B", "m", "B read v7 1\n") + kB2)),
            kNone);
  EXPECT_EQ(found("wcp", valid_trace(kA1 + section("A", "m", accesses) + section("B", "m", "B read w 0\n") + kB2)),
            kRace);
  EXPECT_EQ(found("wcp", valid_trace(kA1 + section("A", "m", many(section("A", "n", accesses), 3)) +
                                     section("B", "m", "B read v7 1\n") + kB2)),
            kNone);
}

TEST(WcpLongScope, ForgetsAccessesOfAnotherLife) {
  const std::string object = "symbol h 0x5000 16\nA alloc h size 16\n";
  const std::string reborn = "A free h size 16\nA alloc h size 16\n";
  const std::string write_h = "A write h 1 size 8\n";
  const std::string read_h = section("B", "m", "B read h 0 size 8\n") + kB2;
  std::string others;
  for (int i = 0; i < 1000; ++i) others += "A write v" + std::to_string(i % 50) + " 1\n";
  EXPECT_EQ(found("wcp", valid_trace(object + kA1 + section("A", "m", write_h + reborn + others) + read_h)), kRace);
  EXPECT_EQ(found("wcp", valid_trace(object + kA1 + section("A", "m", write_h + others + reborn) + read_h)), kRace);
  EXPECT_EQ(found("wcp", valid_trace(object + kA1 + section("A", "m", reborn + write_h + others) + read_h)), kNone);
}

std::string idle(int events) {
  return many("F read f 0\n", events);
}

TEST(CpWindows, ReportNothingThatNoWindowHolds) {
  EXPECT_EQ(found("cp", valid_trace(kA1 + idle(1998) + kB2)), kRace);  // the first window, to its last event
  EXPECT_EQ(found("cp", valid_trace(kA1 + idle(1999) + kB2)), kNone);
  EXPECT_EQ(found("cp", valid_trace(idle(999) + kA1 + idle(1500) + kB2)), kNone);
  EXPECT_EQ(found("cp", valid_trace(idle(1000) + kA1 + idle(1500) + kB2)), kRace);  // the second, which is not full
}

TEST(CpWindows, CountARacyEventOnce) {
  const analysis::Output output =
      output_of("cp", valid_trace(idle(1200) + kA1 + idle(300) + kB2 + idle(3000) + kA1 + kB2));
  EXPECT_EQ(output.racy.count, 2u);  // B's: what A does the second time is too far from them
  EXPECT_EQ(output.racy.locations, 1u);
  ASSERT_EQ(output.racy.events.size(), 2u);
  EXPECT_EQ(output.racy.events[0], EventNo{1501});
  EXPECT_EQ(output.findings.size() + output.candidates.size(), 1u);
}

// In the second window, A's section begins with the window.
TEST(CpWindows, OpenScopeBeginsWithTheWindow) {
  const auto trace = [](const std::string& early, const std::string& late) {
    return valid_trace("A lock m\n" + early + idle(1100) + late + kA1 + "A unlock m\n" +
                       section("B", "m", "B aread y 1 relaxed\n") + kB2 + idle(2000));
  };
  const std::string write_y = "A awrite y 1 relaxed\n";
  EXPECT_EQ(found("cp", trace(write_y, "")), kRace);
  EXPECT_EQ(found("cp", trace("", write_y)), kNone);
  EXPECT_EQ(found("wcp", trace(write_y, "")), kNone);
}

// Rule (b), in the second window alone: the begin of the open section is the thread's first event in the window.
TEST(CpWindows, OpenScopeIsKnownByItsFirstEvent) {
  const auto trace = [](const std::string& carried) {
    return valid_trace("A lock l\n" + idle(1500) + section("A", "m", "A write y 1\n") + kA1 + "A unlock l\n" +
                       section("C", "m", carried) + section("C", "n") + idle(500) +
                       section("B", "l", section("B", "n")) + kB2 + section("G", "o", "G write z 1\n") +
                       section("H", "o", "H write z 1\n"));
  };
  EXPECT_EQ(found("cp", trace("C read y 1\n")), kNone);
  EXPECT_EQ(found("cp", trace("")), kRace);
}

}  // namespace
}  // namespace racecast
