// The prefix judge, rule by rule: for each rule a schedule in which it is the one that rejects, and a twin that is
// accepted. Each answer is compared with the full judge's: the same rule at the same step, save where the prefix judge
// is stricter on purpose. The laws over random traces are in tests/property.
#include "witness/prefix_judge.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "trace/validator.h"
#include "unit/text_trace.h"
#include "witness/judge.h"

namespace racecast {
namespace {

using witness::Judgement;
using witness::PrefixClaim;

std::vector<Judgement> judge(const trace::Trace& trace, const std::vector<PrefixClaim>& claims) {
  auto judged = witness::judge_prefixes(
      [&]() -> Result<std::unique_ptr<trace::EventSource>> { return std::make_unique<trace::MemorySource>(trace); },
      claims);
  EXPECT_TRUE(judged) << judged.error().message;
  return judged ? *judged : std::vector<Judgement>(claims.size());
}

enum class Full { Agrees, Accepts };

struct Row {
  std::string name;
  std::string events;               // a text trace without its header line
  std::vector<std::uint32_t> kept;  // of its threads, in order of appearance
  std::string rule;                 // that is broken; empty: accepted
  Full full = Full::Agrees;         // what the full judge says
};

class PrefixJudgeRules : public testing::TestWithParam<Row> {};

// Two more threads race at the end, so that what is judged is the schedule before.
TEST_P(PrefixJudgeRules, AcceptsOrNamesTheRule) {
  const Row& row = GetParam();
  const trace::Trace trace = text_trace(row.events + "P write racy 1\nQ write racy 2\n");
  const Status valid = trace::validate(trace);
  ASSERT_TRUE(valid) << valid.error().message;
  const EventNo a{trace.events.size() - 2}, b{trace.events.size() - 1};
  const PrefixClaim claim{{row.kept}, a, b};
  const Judgement said = judge(trace, {claim}).front();
  EXPECT_EQ(said.rule, row.rule) << said.detail;
  EXPECT_EQ(said.accepted, row.rule.empty());
  const Judgement full = witness::Judge(trace).race(finding::schedule_of(claim.prefix, trace.events), a, b);
  if (row.full == Full::Accepts) {
    EXPECT_TRUE(full.accepted) << full.rule << ": " << full.detail;
  } else {
    EXPECT_EQ(full.rule, said.rule) << full.detail;
    EXPECT_EQ(full.step, said.step);
  }
}

const std::string kTwoScopes = "A lock m\nA write x 1\nA unlock m\nB lock m\nB write y 1\nB unlock m\n";
const std::string kForked = "M fork T\nT begin\nT write x 1\nT end\nM join T\n";
const std::string kRecursive = "A lock m recursive\nA lock m recursive\nA unlock m\nA unlock m\nB lock m\n";
const std::string kReaders = "A rdlock l\nA rwunlock l\nB rdlock l\nB rwunlock l\nC wrlock l\n";
const std::string kWriter = "A wrlock l\nA rwunlock l\nB rdlock l\nB rwunlock l\n";
const std::string kTry = "A lock m\nB lock m try failed\nA unlock m\n";
const std::string kSleep = "A lock m\nA wait c m\nB lock m\nB notify c\nB unlock m\nA wake c m\n";
const std::string kTwoSleepers =
    "A lock m\nA wait c m\nB lock m\nB wait c m\nC notify c\nA wake c m\nA unlock m\nD notify c\nB wake c m\n";
const std::string kNotifyAll =
    "A lock m\nA wait c m\nB lock m\nB wait c m\nC notifyall c\nA wake c m\nA unlock m\nB wake c m\n";
const std::string kRecursiveWait =
    "A lock m recursive\nA lock m recursive\nA wait c m\nB notify c\nA wake c m\nA unlock m\nA unlock m\nC lock m\n";
const std::string kKnownLater = "A arrive b ?\nA leave b\nA arrive b 2\nB arrive b 2\nA leave b\nB leave b\n";
const std::string kKnownBefore = "A arrive b 2\nB arrive b 2\nB arrive b ?\nA arrive b ?\nA leave b\nB leave b\n";
const std::string kBarrier = "A arrive b 2\nB arrive b 2\nA leave b\nB leave b\n";
const std::string kRounds =
    "A arrive b 2\nB arrive b 2\nB leave b\nC arrive b 2\nB arrive b 2\nA leave b\nB leave b\nC leave b\n";
const std::string kOnce = "A onceenter g\nA oncedone g\nB onceseen g\n";
const std::string kObject = "A alloc o\nB write o 1\nC free o\n";
const std::string kReach = "symbol y 0x8000 8\nsymbol z 0x9000 8\nreach 0x8000+4\nreach 0x9000+8\nreach everything\n";
const std::string kSections = kReach + "A mbegin %0 f\nA mend 0\nB mbegin %0 f\nB mend 0\n";

std::vector<Row> rows() {
  return {
      {"nothing", kTwoScopes, {}, ""},
      {"everything", kTwoScopes, {3, 3}, ""},
      {"more_than_there_is", kTwoScopes, {4, 3}, "prefix", Full::Accepts},
      {"a_thread_that_is_not_there", kTwoScopes, {3, 3, 0, 0, 7}, "prefix", Full::Accepts},
      {"fork_first", kForked, {0, 1}, "life-of-threads"},
      {"forked", kForked, {1, 1}, ""},
      {"join_too_early", kForked, {2, 2}, "life-of-threads"},
      {"joined", kForked, {2, 3}, ""},
      {"join_of_a_thread_without_events", "M fork T\nM join T\n", {2}, ""},
      {"mutex_held", kTwoScopes, {1, 1}, "mutex"},
      {"mutex_other_scope_left_out", kTwoScopes, {0, 2}, ""},
      {"mutex_given_back", kTwoScopes, {3, 1}, ""},
      {"mutex_stuck_long_before", "A lock m\nA unlock m\nC lock m\nC unlock m\nB lock m\n", {1, 0, 1}, "mutex"},
      {"mutex_recursive", kRecursive, {3, 1}, "mutex"},
      {"mutex_recursive_given_back", kRecursive, {4, 1}, ""},
      {"mutex_try", "A lock m\nA unlock m\nB lock m try\n", {1, 1}, "mutex"},
      {"rwlock_readers", kReaders, {1, 1}, ""},
      {"rwlock_writer_waits", kReaders, {1, 2, 1}, "rwlock"},
      {"rwlock_writer_alone", kReaders, {2, 2, 1}, ""},
      {"rwlock_reader_waits", kWriter, {1, 1}, "rwlock"},
      {"rwlock_reader_alone", kWriter, {2, 1}, ""},
      {"rwlock_nested_reader", "A rdlock l\nA rdlock l\nA rwunlock l\nA rwunlock l\nC wrlock l\n", {3, 1}, "rwlock"},
      {"try_needs_holder", kTry, {0, 1}, "try"},
      {"try_has_holder", kTry, {1, 1}, ""},
      {"try_holder_is_stuck", "A lock m\nA unlock m\nC lock m\nB lock m try failed\nC unlock m\n", {1, 0, 1}, ""},
      {"try_own_mutex", "A lock m\nA lock m try failed\n", {2}, ""},
      {"try_rdlock_needs_writer", "A wrlock l\nB rdlock l try failed\n", {0, 1}, "try"},
      {"try_rdlock_has_writer", "A wrlock l\nB rdlock l try failed\n", {1, 1}, ""},
      {"try_wrlock_needs_anybody", "A rdlock l\nB wrlock l try failed\n", {0, 1}, "try"},
      {"try_wrlock_has_reader", "A rdlock l\nB wrlock l try failed\n", {1, 1}, ""},
      {"wake_needs_notify", kSleep, {3, 0}, "wait"},
      {"wake_needs_mutex", kSleep, {3, 2}, "wait"},
      {"woken", kSleep, {3, 3}, ""},
      {"asleep", kSleep, {2, 2}, ""},
      {"wake_needs_its_own_notify", kTwoSleepers, {0, 3, 1}, "wait", Full::Accepts},
      {"wake_has_its_own_notify", kTwoSleepers, {0, 3, 0, 1}, ""},
      {"one_notify_one_wake", kTwoSleepers, {4, 3, 1}, "wait"},
      {"two_notifies", kTwoSleepers, {4, 3, 1, 1}, ""},
      {"notifyall", kNotifyAll, {0, 3, 1}, ""},
      {"notifyall_needed", kNotifyAll, {0, 3}, "wait"},
      {"spurious", "A lock m\nA wait c m\nA wake c m spurious\nB lock m2\n", {3}, ""},
      {"timed_out", "A lock m\nA wait c m\nA wake c m failed\nB lock m2\n", {3}, ""},
      {"timed_out_gets_no_notify",
       "A lock m\nA wait c m\nA wake c m failed\nA unlock m\nB lock m\nB wait c m\nC notify c\nB wake c m\n",
       {3, 0, 1},
       ""},
      {"wake_takes_a_recursive_mutex_as_often", kRecursiveWait, {5, 1, 1}, "mutex"},
      {"wake_takes_a_recursive_mutex_as_often_twin", kRecursiveWait, {6, 1, 1}, ""},
      {"wait_gives_a_recursive_mutex_back", kRecursiveWait, {3, 1, 1}, ""},
      {"semaphore_empty", "A post s ?\nB down s ?\n", {0, 1}, "semaphore"},
      {"semaphore_posted", "A post s ?\nB down s ?\n", {1, 1}, ""},
      {"semaphore_every_post", "A post s 1\nB down s 1\n", {0, 1}, "semaphore", Full::Accepts},
      {"semaphore_try", "A down s 1\nB down s 1 try failed\n", {0, 1}, "try"},
      {"semaphore_try_empty", "A down s 1\nB down s 1 try failed\n", {1, 1}, ""},
      {"semaphore_try_every_post", "A post s 0\nA down s 0\nB down s 0 try failed\n", {0, 1}, "try", Full::Accepts},
      {"barrier_alone", kBarrier, {2, 0}, "barrier"},
      {"barrier_both", kBarrier, {2, 1}, ""},
      {"barrier_arrives_alone", kBarrier, {1, 0}, ""},
      {"barrier_own_round_only", kRounds, {2, 1}, ""},
      {"barrier_second_round", kRounds, {1, 4, 1}, ""},
      {"barrier_second_round_incomplete", kRounds, {1, 4, 0}, "barrier"},
      {"barrier_gap_in_an_earlier_round", kRounds, {0, 0, 1}, "barrier", Full::Accepts},
      {"barrier_parties_not_known", "A arrive b ?\nB arrive b ?\nA leave b\nB leave b\n", {2, 0}, "barrier"},
      {"barrier_parties_not_known_twin", "A arrive b ?\nB arrive b ?\nA leave b\nB leave b\n", {2, 1}, ""},
      {"barrier_parties_known_later", kKnownLater, {4, 0}, "barrier"},
      {"barrier_parties_known_later_twin", kKnownLater, {4, 1}, ""},
      {"barrier_parties_known_before", kKnownBefore, {3, 1}, "barrier"},
      {"barrier_parties_known_before_twin", kKnownBefore, {3, 2}, ""},
      // Another barrier does not ask for the arrivals at the former.
      {"barrier_other_parties", "A arrive b 1\nB arrive b 2\nC arrive b 2\nB leave b\n", {0, 2, 1}, ""},
      {"once_seen_early", kOnce, {1, 1}, "once"},
      {"once_seen", kOnce, {2, 1}, ""},
      {"alloc_first", kObject, {0, 1}, "object-life"},
      {"alloc_done", kObject, {1, 1}, ""},
      {"free_needs_alloc", kObject, {0, 0, 1}, "object-life"},
      {"freed", kObject, {1, 0, 1}, ""},
      {"second_life_needs_its_own_alloc", "A alloc o\nA free o\nB alloc o\nC write o 1\n", {2, 0, 1}, "object-life"},
      {"locks_of_another_life_are_others",
       "A alloc o\nA lock o\nA unlock o\nA free o\nB alloc o\nB lock o\nB unlock o\n",
       {2, 3},
       ""},
      {"unlock_in_another_life", "A alloc o\nA lock o\nA free o\nA unlock o\n", {4}, "mutex"},
      {"rwunlock_in_another_life", "A alloc o\nA rdlock o\nA free o\nA rwunlock o\n", {4}, "rwlock"},
      {"wait_in_another_life", "A alloc o\nA lock o\nA free o\nA wait c o\n", {4}, "wait"},
      {"leave_in_another_life", "A alloc o\nA arrive o ?\nA free o\nA leave o\n", {4}, "barrier"},
      {"memory_without_alloc_has_one_life", "A onceenter o\nB alloc o\nB free o\nC onceenter o\n", {1, 0, 1}, "once"},
      {"read_after_the_life", "A alloc o\nA write o 1\nA free o\nB read o 0\n", {0, 1}, ""},
      {"second_life_starts_unwritten", "A alloc o\nA write o 1\nA free o\nB alloc o\nB read o 0\n", {0, 2}, ""},
      {"read_needs_its_writer", "A write x 1\nB read x 1\n", {0, 1}, "value-all"},
      {"read_has_its_writer", "A write x 1\nB read x 1\n", {1, 1}, ""},
      {"read_of_initial_content", "B read x 1\nA write x 2\n", {1, 1}, ""},
      {"read_by_identity", "A write x 1\nB write x 1\nC read x 1\n", {1, 0, 1}, "value-all", Full::Accepts},
      {"read_with_branches", "branches\nA write x 1\nB read x 1\n", {0, 1}, "value"},
      {"read_with_branches_no_value", "branches\nA write x ?\nB read x ?\n", {0, 1}, "value", Full::Accepts},
      {"cas_needs_its_writer",
       "branches\nA awrite l 0 seqcst\nA awrite l 1 seqcst\nB rmw l 1 2 seqcst cas\n",
       {1, 1},
       "value-cas"},
      {"rmw_is_a_writer", "A rmw x 0 1 seqcst\nB read x 1\n", {0, 1}, "value-all"},
      {"failed_cas_is_none", "A rmw x 0 7 seqcst cas failed\nB read x 0\n", {0, 1}, ""},
      {"partial_overlap",
       "A write x 1 size 4\nB write x+2 7 size 2\nC read x 0x70001 size 4\n",
       {1, 0, 1},
       "value-all"},
      {"partial_overlap_twin", "A write x 1 size 4\nB write x+2 7 size 2\nC read x 0x70001 size 4\n", {1, 1, 1}, ""},
      {"partial_overlap_other_half", "A write x 1 size 4\nB write x+2 7 size 2\nC read x 1 size 2\n", {1, 0, 1}, ""},
      {"wide_access",
       "symbol x 0x7000 64\nA write x ? size 32\nB write x+24 7 size 4\nC read x ? size 32\n",
       {1, 0, 1},
       "value-all"},
      {"missing_sections", kSections, {0, 1}, "missing-order"},
      {"missing_sections_in_part", kSections, {1, 1}, "missing-order"},
      {"missing_sections_twin", kSections, {2, 1}, ""},
      {"missing_apart", kReach + "A mbegin %0 f\nA mend 0\nB mbegin %1 f\nB mend 0\n", {0, 1}, ""},
      {"missing_then_access", kReach + "A mbegin %0 f\nA mend 0\nB read y 3 size 1\n", {0, 1}, "missing-order"},
      {"missing_then_access_beside", kReach + "A mbegin %0 f\nA mend 0\nB read y+4 3 size 4\n", {0, 1}, ""},
      {"access_then_missing", kReach + "B write y 3\nA mbegin %0 f\nA mend 0\n", {0, 1}, "missing-order"},
      {"access_then_missing_twin", kReach + "B write y 3\nA mbegin %0 f\nA mend 0\n", {1, 1}, ""},
      {"missing_interrupted", kReach + "A mbegin %0 f\nB read y 3\nA mend 0\n", {1, 1}, ""},
      {"missing_reaches_everything", kReach + "B write x 3\nA mbegin %2 f\nA mend 0\n", {0, 1}, "missing-order"},
      {"everything_then_access", kReach + "A mbegin %2 f\nA mend 0\nB write x 3\n", {0, 1}, "missing-order"},
      {"everything_is_tied_to_the_two_as_well",
       kReach + "A mbegin %2 f\nA mend 0\nB call f\n",
       {0, 1},
       "missing-order"},
      {"everything_then_section",
       kReach + "A mbegin %2 f\nA mend 0\nB mbegin %0 f\nB mend 0\n",
       {0, 1},
       "missing-order"},
      {"section_then_everything",
       kReach + "A mbegin %0 f\nA mend 0\nB mbegin %2 f\nB mend 0\n",
       {0, 1},
       "missing-order"},
      {"everything_twice", kReach + "A mbegin %2 f\nA mend 0\nB mbegin %2 f\nB mend 0\n", {1, 1}, "missing-order"},
      {"lock_then_everything", kReach + "B lock m\nA mbegin %2 f\nA mend 0\n", {0, 1}, "missing-order"},
      {"callback_is_of_its_section",
       kReach + "A mbegin %0 f\nA write z 1\nA mend 0\nB write y 3\n",
       {2, 1},
       "missing-order"},
      {"lock_in_reach",
       "symbol m 0x8000 8\nreach 0x8000+8\nA mbegin %0 f\nA mend 0\nB lock m\n",
       {0, 1},
       "missing-order"},
  };
}

INSTANTIATE_TEST_SUITE_P(AllRules, PrefixJudgeRules, testing::ValuesIn(rows()),
                         [](const auto& info) { return info.param.name; });

// ---- the two accesses

struct RaceRow {
  std::string name;
  std::string events;
  std::vector<std::uint32_t> kept;
  std::uint64_t a, b;
  std::string rule;
  Full full = Full::Agrees;
};

class PrefixJudgeRace : public testing::TestWithParam<RaceRow> {};

TEST_P(PrefixJudgeRace, AcceptsOrNamesTheRule) {
  const RaceRow& row = GetParam();
  const trace::Trace trace = text_trace(row.events);
  const Status valid = trace::validate(trace);
  ASSERT_TRUE(valid) << valid.error().message;
  for (const bool swapped : {false, true}) {
    const PrefixClaim claim{{row.kept}, EventNo{swapped ? row.b : row.a}, EventNo{swapped ? row.a : row.b}};
    const Judgement said = judge(trace, {claim}).front();
    EXPECT_EQ(said.rule, row.rule) << said.detail;
    EXPECT_EQ(said.accepted, row.rule.empty());
    const Judgement full =
        witness::Judge(trace).race(finding::schedule_of(claim.prefix, trace.events), claim.a, claim.b);
    EXPECT_EQ(full.rule, row.full == Full::Agrees ? row.rule : "") << full.detail;
    if (row.full == Full::Agrees) EXPECT_EQ(full.step, said.step);
  }
}

const std::string kRace = "A write x 1\nB lock m\nB read x 1\nB read y 0\nB unlock m\n";

std::vector<RaceRow> race_rows() {
  return {
      {"both_next", kRace, {0, 1}, 0, 2, ""},
      {"one_too_early", kRace, {0, 0}, 0, 2, "prefix"},
      {"one_too_late", kRace, {1, 1}, 0, 2, "prefix"},
      {"no_conflict", "A write x 1\nB read y 0\n", {}, 0, 1, "race"},
      {"one_event", kRace, {0, 0}, 0, 0, "race"},
      {"no_access", kRace, {0, 0}, 0, 1, "race"},
      {"no_such_event", kRace, {0, 1}, 0, 99, "race"},
      {"two_readers", "A read x 1\nB read x 1\n", {}, 0, 1, "race"},
      {"two_atomics", "A awrite x 1 relaxed\nB awrite x 1 relaxed\n", {}, 0, 1, "race"},
      {"other_bytes", "A write x 1 size 2\nB write x+2 1 size 2\n", {}, 0, 1, "race"},
      {"not_forked", "M write y 1\nM fork T\nT write x 1\nA write x 2\n", {0, 0}, 2, 3, "life-of-threads"},
      {"forked", "M write y 1\nM fork T\nT write x 1\nA write x 2\n", {2, 0}, 2, 3, ""},
      {"forked_by_the_other_racer", "M fork T\nM write x 2\nT write x 1\n", {1, 0}, 1, 2, ""},
      {"not_allocated", "C alloc o\nA write o 1\nB write o 2\n", {0, 0}, 1, 2, "object-life"},
      {"allocated", "C alloc o\nA write o 1\nB write o 2\n", {1, 0}, 1, 2, ""},
      {"freed_after_both", "C alloc o\nA write o 1\nB write o 2\nC free o\n", {2, 0}, 1, 2, "object-life"},
      {"freed_later", "C alloc o\nA write o 1\nB write o 2\nC free o\n", {1, 0}, 1, 2, ""},
      {"two_lives", "A alloc o\nA write o 1\nA free o\nA alloc o\nB write o 2\n", {1, 0}, 1, 4, "race"},
      {"reads_anything", "C write x 5\nA write x 1\nB read x 1\n", {0, 0, 0}, 1, 2, ""},
      {"tied_to_what_is_not_there",
       kReach + "C mbegin %0 f\nC mend 0\nA write y 1\nB write y 2\n",
       {0},
       2,
       3,
       "missing-order"},
      {"tied_to_what_is_there", kReach + "C mbegin %0 f\nC mend 0\nA write y 1\nB write y 2\n", {2}, 2, 3, ""},
      {"tied_to_each_other",
       kReach + "A mbegin %0 f\nA write y 1\nA mend 0\nB write y 2\n",
       {1, 0},
       1,
       3,
       "missing-order"},
      {"a_step_fails_after_the_accesses", kRace + "C write z 1\nD read z 1\n", {0, 1, 0, 1}, 0, 2, "value-all"},
      {"goes_on_after_the_accesses", kRace + "C write z 1\nD read z 1\n", {0, 1, 1, 1}, 0, 2, ""},
  };
}

INSTANTIATE_TEST_SUITE_P(BothNext, PrefixJudgeRace, testing::ValuesIn(race_rows()),
                         [](const auto& info) { return info.param.name; });

// ---- many claims

TEST(PrefixJudge, ManyClaimsKeepTheirOrder) {
  // Claim i lets A go i steps; B's read needs A's write number 100.
  std::string events;
  for (int i = 0; i < 200; ++i) events += "A write x" + std::string(i == 100 ? "" : "2") + " 1\n";
  events += "B read x 1\nB write y 1\nC write y 2\nD write y 3\n";
  const trace::Trace trace = text_trace(events);
  std::vector<PrefixClaim> claims;
  for (std::uint32_t i = 0; i < 200; ++i)
    claims.push_back({{{199 - i, 1}}, EventNo{201}, EventNo{i % 2 == 0 ? 202u : 203u}});
  const std::vector<Judgement> said = judge(trace, claims);
  ASSERT_EQ(said.size(), 200);
  for (std::uint32_t i = 0; i < 200; ++i) {
    EXPECT_EQ(said[i].accepted, 199 - i > 100) << i;
    EXPECT_EQ(said[i].rule, 199 - i > 100 ? "" : "value-all") << i;
    EXPECT_EQ(said[i].step, 199 - i + (said[i].accepted ? 1 : 0)) << i;
  }
}

TEST(PrefixJudge, NoClaimsReadNothing) {
  const auto open = []() -> Result<std::unique_ptr<trace::EventSource>> { return bad_input("opened"); };
  const auto judged = witness::judge_prefixes(open, {});
  ASSERT_TRUE(judged);
  EXPECT_TRUE(judged->empty());
  const std::vector<PrefixClaim> one(1);
  EXPECT_EQ(witness::judge_prefixes(open, one).error().message, "opened");
}

// Hands out one event a batch, and counts them.
class SlowSource : public trace::EventSource {
 public:
  SlowSource(const trace::Trace& trace, std::size_t& given) : trace_(trace), given_(given) { given_ = 0; }
  Result<std::span<const trace::Event>> next() override {
    if (given_ == trace_.events.size()) return std::span<const trace::Event>();
    return std::span(trace_.events).subspan(given_++, 1);
  }
  const trace::Definitions& definitions() const override { return trace_.definitions; }

 private:
  const trace::Trace& trace_;
  std::size_t& given_;
};

TEST(PrefixJudge, StopsWhereNothingMatters) {
  const trace::Trace trace =
      text_trace("A write x 1\nB write x 2\nC write x 3\nA write z 1\nB write z 1\nC write z 1\n");
  std::size_t given = 0;
  std::uint64_t told = 0;
  const auto judge_it = [&](const PrefixClaim& claim) {
    const auto judged = witness::judge_prefixes(
        [&]() -> Result<std::unique_ptr<trace::EventSource>> { return std::make_unique<SlowSource>(trace, given); },
        std::span(&claim, 1), [&](std::uint64_t events) { told = events; });
    return judged->front().accepted;
  };
  EXPECT_TRUE(judge_it({{}, EventNo{0}, EventNo{1}}));
  EXPECT_EQ(given, 2);
  EXPECT_EQ(told, 2);
  EXPECT_TRUE(judge_it({{{0, 0, 2}}, EventNo{0}, EventNo{1}})) << "a schedule may go on after the accesses";
  EXPECT_EQ(given, 6);
}

TEST(PrefixJudge, ErrorsOfTheSourceArePassedOn) {
  class Broken : public trace::EventSource {
   public:
    Result<std::span<const trace::Event>> next() override { return bad_input("unreadable"); }
    const trace::Definitions& definitions() const override { return definitions_; }

   private:
    trace::Definitions definitions_;
  };
  const std::vector<PrefixClaim> one(1);
  const auto judged = witness::judge_prefixes(
      []() -> Result<std::unique_ptr<trace::EventSource>> { return std::make_unique<Broken>(); }, one);
  ASSERT_FALSE(judged);
  EXPECT_EQ(judged.error().message, "unreadable");
}

}  // namespace
}  // namespace racecast
