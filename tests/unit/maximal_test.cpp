// The predictor on small traces whose answer can be seen by eye, with what settled them. That it is maximal is a law in
// tests/property.
#include <gtest/gtest.h>

#include <string>

#include "analysis/maximal/decide.h"
#include "trace/validator.h"
#include "unit/text_trace.h"
#include "witness/judge.h"

namespace racecast {
namespace {

using analysis::predict::Budget;
using analysis::predict::Decision;
using analysis::predict::Predictor;
using analysis::predict::Tier;
using analysis::predict::Verdict;

struct Row {
  std::string name;
  std::string events;  // a text trace without its header line
  int a, b;
  Verdict verdict;
};

class MaximalRows : public testing::TestWithParam<Row> {};

TEST_P(MaximalRows, AreDecided) {
  const Row& row = GetParam();
  const trace::Trace trace = text_trace(row.events);
  ASSERT_TRUE(trace::validate(trace)) << trace::validate(trace).error().message;
  const EventNo a{static_cast<std::uint64_t>(row.a)}, b{static_cast<std::uint64_t>(row.b)};
  const Predictor predictor(trace);
  for (const std::uint64_t search : {std::uint64_t{400}, std::uint64_t{0}}) {
    const Decision decision = predictor.decide(a, b, {.search = search});
    EXPECT_EQ(decision.verdict, row.verdict);
    if (decision.verdict == Verdict::Race)
      EXPECT_EQ(witness::Judge(trace).race(whole_schedule(decision), a, b).rule, "");
  }
}

// The race that hb hides: the two scopes can be swapped, or one be left out.
const std::string kHidden = "A write x 1\nA lock m\nA unlock m\nB lock m\nB unlock m\nB read x 1\n";
// The second scope reads what the first wrote, and branches on it.
const std::string kHandedOver =
    "branches\nA write x 1\nA lock m\nA write f 1\nA unlock m\nB lock m\nB read f 1\nB branch 1\nB unlock m\n"
    "B read x 1\n";

INSTANTIATE_TEST_SUITE_P(
    Small, MaximalRows,
    testing::Values(
        Row{"plain", "A write x 1\nB write x 2\n", 0, 1, Verdict::Race},
        Row{"forked", "M write x 1\nM fork T\nT write x 2\n", 0, 2, Verdict::NoRace},
        Row{"common_lock", "A lock m\nA write x 1\nA unlock m\nB lock m\nB write x 2\nB unlock m\n", 1, 4,
            Verdict::NoRace},
        Row{"hidden", kHidden, 0, 5, Verdict::Race}, Row{"handed_over", kHandedOver, 0, 8, Verdict::NoRace},
        // Another write of the same value will do for the branch.
        Row{"same_value",
            "C write f 1\nA write x 1\nA lock m\nA write f 1\nA unlock m\nB lock m\nB read f 1\nB unlock m\n"
            "B read x 1\n",
            1, 8, Verdict::Race},
        // A read that no branch follows may return anything, and what is written then is unknown.
        Row{"no_branch", "branches\nA write x 1\nA write f 1\nB read f 1\nB read x 1\n", 0, 3, Verdict::Race},
        Row{"unknown_does_not_help",
            "branches\nA write x 1\nA write f 1\nB read f 1\nB write g 1\nC read g 1\nC branch 1\nC read x 1\n", 0, 6,
            Verdict::NoRace},
        // Both scopes of the first thread have to come after those of the second.
        Row{"swapped",
            "branches\nA lock m\nA write y 1\nA unlock m\nA write x 1\nB lock m\nB write y 2\nB read y 2\nB unlock m\n"
            "B branch 1\nB write x 2\n",
            3, 9, Verdict::Race},
        Row{"semaphore", "A write x 1\nA post s 0\nB down s 0\nB write x 2\n", 0, 3, Verdict::NoRace},
        Row{"barrier", "A write x 1\nA arrive b 2\nB arrive b 2\nA leave b\nB leave b\nB write x 2\n", 0, 5,
            Verdict::NoRace},
        Row{"missing_code",
            "reach 0x9000+8\nA write x 1\nA mbegin %0 g\nA mend 0\nB mbegin %0 g\nB mend 0\nB write x 2\n", 0, 5,
            Verdict::NoRace}),
    [](const testing::TestParamInfo<Row>& info) { return info.param.name; });

TEST(Maximal, TiersAreCounted) {
  const trace::Trace forked = text_trace("M write x 1\nM fork T\nT write x 2\n");
  EXPECT_EQ(Predictor(forked).decide(EventNo{0}, EventNo{2}, {}).tier, Tier::Order);
  EXPECT_FALSE(Predictor(forked).may_be_concurrent(EventNo{0}, EventNo{2}));
  const trace::Trace hidden = text_trace(kHidden);
  EXPECT_EQ(Predictor(hidden).decide(EventNo{0}, EventNo{5}, {}).tier, Tier::Closure);
  EXPECT_TRUE(Predictor(hidden).may_be_concurrent(EventNo{0}, EventNo{5}));
}

// What runs out is unknown, never "no".
TEST(Maximal, NoBudgetIsUnknown) {
  const trace::Trace trace =
      text_trace("A lock m\nA write x 1\nA unlock m\nB lock m\nB write x 2\nB unlock m\nC read x 2\n");
  const Decision decision = Predictor(trace).decide(EventNo{1}, EventNo{4}, {.steps = 0, .conflicts = 0, .search = 0});
  EXPECT_EQ(decision.verdict, Verdict::Unknown);
}

// Fixed events keep their place: what they rule out is ruled out.
TEST(Maximal, FixedEventsStay) {
  const trace::Trace trace = text_trace("branches\nA write f 1\nB read f 1\nB branch 1\nB write x 1\nA write x 2\n");
  EXPECT_EQ(Predictor(trace).decide(EventNo{3}, EventNo{4}, {}).verdict, Verdict::Race);
  EXPECT_EQ(Predictor(trace, 3).decide(EventNo{3}, EventNo{4}, {}).verdict, Verdict::Race);
  EXPECT_EQ(Predictor(trace, 4).decide(EventNo{3}, EventNo{4}, {}).verdict, Verdict::NoRace);
}

// Few changes of thread: one thread runs as long as it can.
TEST(Maximal, SchedulesStayOnAThread) {
  const trace::Trace trace =
      text_trace("A write y 1\nB write z 1\nA write y 2\nB write z 2\nA write x 1\nB write x 2\n");
  const Decision decision = Predictor(trace).decide(EventNo{4}, EventNo{5}, {});
  int switches = 0;
  for (std::size_t i = 1; i < decision.schedule.size(); ++i)
    switches += trace.events[index(decision.schedule[i].event)].thread !=
                trace.events[index(decision.schedule[i - 1].event)].thread;
  EXPECT_EQ(decision.schedule.size(), 4U);
  EXPECT_EQ(switches, 1);
}

}  // namespace
}  // namespace racecast
