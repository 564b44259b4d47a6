// The judge, rule by rule: for each rule of docs/semantics.md a schedule that breaks it and a twin that does not. That
// it accepts exactly the correct reorderings is a law in tests/property.
#include "witness/judge.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "trace/text.h"
#include "trace/validator.h"
#include "unit/text_trace.h"

namespace racecast {
namespace {

struct Row {
  std::string name;
  std::string events;         // a text trace without its header line
  std::vector<int> schedule;  // event numbers
  std::string rule;           // that is broken; empty: accepted
};

finding::Schedule schedule_of(const std::vector<int>& numbers) {
  finding::Schedule schedule;
  for (const int number : numbers) schedule.push_back({EventNo{static_cast<std::uint64_t>(number)}, std::nullopt});
  return schedule;
}

class JudgeRules : public testing::TestWithParam<Row> {};

TEST_P(JudgeRules, AcceptsOrNamesTheRule) {
  const Row& row = GetParam();
  const trace::Trace trace = text_trace(row.events);
  const Status valid = trace::validate(trace);
  ASSERT_TRUE(valid) << valid.error().message;
  const witness::Judgement judgement = witness::Judge(trace).reordering(schedule_of(row.schedule));
  EXPECT_EQ(judgement.rule, row.rule) << judgement.detail;
  EXPECT_EQ(judgement.accepted, row.rule.empty());
  if (!row.rule.empty()) EXPECT_EQ(judgement.step, row.schedule.size() - 1) << "the last step is the wrong one";
}

const std::string kTwoScopes = "A lock m\nA write x 1\nA unlock m\nB lock m\nB read x 1\nB unlock m\n";
const std::string kForked = "M fork T\nT begin\nT write x 1\nT end\nM join T\nM read x 1\n";
const std::string kBranchy = "branches\nA write x 1\nB read x 1\nB branch 1\nB write y 5\nC read y 5\nC branch 0\n";

std::vector<Row> rows() {
  return {
      {"empty", kTwoScopes, {}, ""},
      {"as_recorded", kTwoScopes, {0, 1, 2, 3, 4, 5}, ""},
      {"prefix_skipped", kTwoScopes, {1}, "prefix"},
      {"prefix_twice", kTwoScopes, {0, 0}, "prefix"},
      {"prefix_no_such_event", kTwoScopes, {17}, "prefix"},
      {"fork_first", kForked, {1}, "life-of-threads"},
      {"join_too_early", kForked, {0, 1, 4}, "life-of-threads"},
      {"join", kForked, {0, 1, 2, 3, 4}, ""},
      {"mutex_swapped", kTwoScopes, {3}, ""},
      {"mutex_held", kTwoScopes, {0, 3}, "mutex"},
      {"rwlock_recursive_writer",
       "A wrlock l recursive\nA rdlock l recursive\nA rwunlock l\nA rwunlock l\nB wrlock l\n",
       {0, 1, 2, 3, 4},
       ""},
      {"mutex_recursive",
       "A lock m recursive\nA lock m recursive\nA unlock m\nA unlock m\nB lock m\n",
       {0, 1, 2, 4},
       "mutex"},
      {"mutex_recursive_twin",
       "A lock m recursive\nA lock m recursive\nA unlock m\nA unlock m\nB lock m\n",
       {0, 1, 2, 3, 4},
       ""},
      {"rwlock_readers", "A rdlock l\nA rwunlock l\nB rdlock l\nB rwunlock l\nC wrlock l\n", {0, 2}, ""},
      {"rwlock_writer_waits", "A rdlock l\nA rwunlock l\nB rdlock l\nB rwunlock l\nC wrlock l\n", {0, 2, 4}, "rwlock"},
      {"rwlock_reader_waits", "A wrlock l\nA rwunlock l\nB rdlock l\n", {0, 2}, "rwlock"},
      {"try_needs_holder", "A lock m\nB lock m try failed\nA unlock m\n", {1}, "try"},
      {"try_has_holder", "A lock m\nB lock m try failed\nA unlock m\n", {0, 1}, ""},
      {"try_succeeds_needs_free", "A lock m\nA unlock m\nB lock m try\n", {0, 2}, "mutex"},
      {"try_rdlock", "A wrlock l\nB rdlock l try failed\n", {1}, "try"},
      {"try_wrlock_reader_holds", "A rdlock l\nB wrlock l try failed\n", {0, 1}, ""},
      {"wait_needs_notify",
       "A lock m\nA wait c m\nB lock m\nB notify c\nB unlock m\nA wake c m\n",
       {0, 1, 2, 4},
       "prefix"},
      {"wake_without_notify", "A lock m\nA wait c m\nB notify c\nA wake c m\n", {0, 1, 3}, "wait"},
      {"notify_before_wait", "A lock m\nA wait c m\nB notify c\nA wake c m\n", {2, 0, 1, 3}, "wait"},
      {"notify_then_wake", "A lock m\nA wait c m\nB notify c\nA wake c m\n", {0, 1, 2, 3}, ""},
      {"wake_needs_mutex",
       "A lock m\nA wait c m\nB lock m\nB notify c\nB unlock m\nA wake c m\n",
       {0, 1, 2, 3, 5},
       "wait"},
      {"notify_goes_to_who_needs_it",
       "A lock m\nA wait c m\nB lock m\nB wait c m\nC notify c\nA wake c m\nA unlock m\nC notify c\nB wake c m\n",
       {0, 1, 2, 3, 4, 5, 6, 7, 8},
       ""},
      {"one_notify_one_wake",
       "A lock m\nA wait c m\nB lock m\nB wait c m\nC notify c\nA wake c m\nA unlock m\nC notify c\nB wake c m\n",
       {0, 1, 2, 3, 4, 5, 6, 8},
       "wait"},
      {"notify_to_the_second_sleeper",
       "A lock m\nA wait c m\nB lock m\nB wait c m\nC notify c\nA wake c m\nA unlock m\nC notify c\nB wake c m\n",
       {0, 1, 2, 3, 4, 8},
       ""},
      {"spurious", "A lock m\nA wait c m\nA wake c m spurious\n", {0, 1, 2}, ""},
      {"notifyall",
       "A lock m\nA wait c m\nB lock m\nB wait c m\nC notifyall c\nA wake c m\nA unlock m\nB wake c m\n",
       {0, 1, 2, 3, 4, 7},
       ""},
      {"semaphore_empty", "A post s ?\nB down s ?\n", {1}, "semaphore"},
      {"semaphore_spare", "B down s ?\nA post s ?\n", {0}, ""},
      {"semaphore_start_known", "A post s 1\nB down s 1\n", {1}, ""},
      {"semaphore_start_zero", "A post s 0\nB down s 0\n", {1}, "semaphore"},
      {"semaphore_try", "A down s 1\nB down s 1 try failed\n", {1}, "try"},
      {"barrier_alone", "A arrive b 2\nB arrive b 2\nA leave b\nB leave b\n", {0, 2}, "barrier"},
      {"barrier_both", "A arrive b 2\nB arrive b 2\nA leave b\nB leave b\n", {0, 1, 2}, ""},
      {"barrier_second_round", "A arrive b 1\nA leave b\nA arrive b 1\nA leave b\n", {0, 1, 2, 3}, ""},
      {"once_seen_early", "A onceenter g\nA oncedone g\nB onceseen g\n", {0, 2}, "once"},
      {"once_seen", "A onceenter g\nA oncedone g\nB onceseen g\n", {0, 1, 2}, ""},
      {"alloc_first", "A alloc o\nB write o 1\nB free o\n", {1}, "object-life"},
      {"alloc_done", "A alloc o\nB write o 1\nB free o\n", {0, 1, 2}, ""},
      {"freed", "A alloc o\nA write o 1\nB free o\n", {0, 2}, ""},
      {"use_after_free", "A alloc o\nC write o 1\nB free o\n", {0, 2, 1}, "object-life"},
      {"no_branches_means_all_reads", "A write x 1\nB read x 1\n", {1}, "value-all"},
      {"no_values_means_identity", "A write x ?\nB write x ?\nC read x ?\n", {0, 2}, "value-all"},
      {"same_value_other_writer", "A write x 1\nB write x 1\nC read x 1\n", {0, 2}, ""},
      {"deviate_then_branch", kBranchy, {1, 2}, "value-branch"},
      {"deviate_then_write", kBranchy, {1}, ""},
      {"unknown_value",
       "branches\nA write x 1\nB read x 1\nB write y 5\nC read y 5\nC branch 0\n",
       {1, 2, 3, 4},
       "value-branch"},
      {"unknown_value_twin",
       "branches\nA write x 1\nB read x 1\nB write y 5\nC read y 5\nC branch 0\n",
       {0, 1, 2, 3, 4},
       ""},
      {"computed_address", "branches\nA write x 1\nB read x 1\nB write y 5 computed\n", {1, 2}, "value-address"},
      {"computed_callee", "branches\nA write x 1\nB read x 1\nB call f computed\n", {1, 2}, "value-call"},
      {"computed_size", "branches\nA write x 1\nB read x 1\nB alloc 0x9000 size 8 computed\n", {1, 2}, "value-call"},
      {"cas_must_succeed",
       "branches\nA awrite l 0 seqcst\nA awrite l 1 seqcst\nB rmw l 1 2 seqcst cas\n",
       {0, 2},
       "value-cas"},
      {"cas_fails_all_the_same",
       "branches\nA awrite l 3 seqcst\nA awrite l 1 seqcst\nB rmw l 1 7 seqcst cas failed\n",
       {0, 2},
       ""},
      {"cas_would_succeed",
       "branches\nA awrite l 7 seqcst\nA awrite l 1 seqcst\nB rmw l 1 7 seqcst cas failed\n",
       {0, 2},
       "value-cas"},
      {"partial_overlap", "A write x 1 size 4\nB write x+2 7 size 2\nC read x 0x70001 size 4\n", {0, 2}, "value-all"},
      {"partial_overlap_twin", "A write x 1 size 4\nB write x+2 7 size 2\nC read x 0x70001 size 4\n", {0, 1, 2}, ""},
      {"missing_keeps_order",
       "symbol y 0x8000 8\nreach 0x8000+8\nA mbegin %0 f\nA mend 0\nB mbegin %0 f\nB mend 0\n",
       {2},
       "missing-order"},
      {"missing_apart",
       "symbol y 0x8000 8\nsymbol z 0x9000 8\nreach 0x8000+8\nreach 0x9000+8\nA mbegin %0 f\nA mend 0\nB mbegin %1 "
       "f\nB mend 0\n",
       {2},
       ""},
      {"missing_and_access",
       "symbol y 0x8000 8\nreach 0x8000+8\nA mbegin %0 f\nA mend 0\nB read y 3\n",
       {2},
       "missing-order"},
      {"missing_interrupted", "symbol y 0x8000 8\nreach 0x8000+8\nA mbegin %0 f\nB read y 3\nA mend 0\n", {0, 1}, ""},
  };
}

INSTANTIATE_TEST_SUITE_P(AllRules, JudgeRules, testing::ValuesIn(rows()),
                         [](const auto& info) { return info.param.name; });

TEST(JudgeRace, NeedsConflictAndBothNext) {
  const trace::Trace trace = text_trace("A write x 1\nB lock m\nB read x 1\nB read y 0\n");
  const witness::Judge judge(trace);
  EXPECT_TRUE(judge.race(schedule_of({1}), EventNo{0}, EventNo{2}).accepted);
  EXPECT_EQ(judge.race(schedule_of({}), EventNo{0}, EventNo{2}).rule, "prefix");
  EXPECT_EQ(judge.race(schedule_of({0, 1}), EventNo{0}, EventNo{2}).rule, "prefix");
  EXPECT_EQ(judge.race(schedule_of({1}), EventNo{0}, EventNo{3}).rule, "race");
  EXPECT_EQ(judge.race(schedule_of({1}), EventNo{0}, EventNo{99}).rule, "race");
}

TEST(JudgeRace, TwoLivesOfOneAddressDoNotConflict) {
  const trace::Trace trace = text_trace("A alloc o\nA write o 1\nA free o\nA alloc o\nB write o 2\n");
  EXPECT_EQ(witness::Judge(trace).race(schedule_of({0}), EventNo{1}, EventNo{4}).rule, "race");
}

TEST(JudgeRace, TheValuesOfTheTwoAreFreeButNotTheirAddresses) {
  const trace::Trace free = text_trace("branches\nA write x 1\nB read y 0\nB read x 1\n");
  EXPECT_TRUE(witness::Judge(free).race(schedule_of({1}), EventNo{0}, EventNo{2}).accepted);
  const trace::Trace bound = text_trace("branches\nC write y 4\nA write x 1\nB read y 4\nB read x 1 computed\n");
  EXPECT_EQ(witness::Judge(bound).race(schedule_of({2}), EventNo{1}, EventNo{3}).rule, "value-address");
}

TEST(JudgeValues, AClaimedValueIsChecked) {
  const trace::Trace trace = text_trace("branches\nA write x 1\nA write x 2\nB read x 2\n");
  const witness::Judge judge(trace);
  auto claim = [&](std::vector<int> before, std::uint64_t value) {
    finding::Schedule schedule = schedule_of(before);
    schedule.push_back({EventNo{2}, value});
    return judge.reordering(schedule);
  };
  EXPECT_TRUE(claim({0}, 1).accepted);
  EXPECT_EQ(claim({0}, 2).rule, "value");
  EXPECT_TRUE(claim({0, 1}, 2).accepted);
  EXPECT_EQ(claim({}, 0).rule, "value") << "nobody knows what was there at the start";
}

}  // namespace
}  // namespace racecast
