// The predictor is maximal: on every trace, the pairs that it calls races are exactly those of the brute-force oracle,
// and each comes with a schedule that the judge and the oracle accept.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "property/all_traces.h"
#include "property/laws.h"
#include "property/laws_maximal.h"
#include "property/random_traces.h"
#include "trace/validator.h"
#include "witness/judge.h"

namespace racecast::property {
namespace {

using analysis::predict::Decision;
using analysis::predict::Predictor;
using analysis::predict::Verdict;

void for_random_traces(int count, const TraceFlavour& flavour, std::uint64_t first_seed, const Way& way = {}) {
  std::uint64_t races = 0;
  for (int i = 0; i < count; ++i) {
    const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(i);
    const trace::Trace trace = random_trace(seed, flavour);
    const std::string complaint = decides_as_the_oracle(trace, way, &races);
    if (complaint.empty()) continue;
    const trace::Trace small = shrink(trace, [&](const trace::Trace& candidate) {
      return trace::validate(candidate).has_value() && !decides_as_the_oracle(candidate, way).empty();
    });
    FAIL() << "seed " << seed << ": " << complaint << "\n"
           << "--- shrunk: " << decides_as_the_oracle(small, way) << "\n"
           << describe(small) << "\nbranches: " << small.definitions.branches;
  }
  // Traces of which the oracle does not see all say nothing: there are few of them, or this is too little.
  EXPECT_GT(races, static_cast<std::uint64_t>(count));
  std::printf("%d traces, %llu races\n", count, static_cast<unsigned long long>(races));
}

TEST(MaximalProperty, RandomTraces) {
  for_random_traces(scaled(10'000), {}, 1);
}
TEST(MaximalProperty, RandomTracesWithoutMissingCode) {
  for_random_traces(scaled(8'000), {.missing = false}, 100'000);
}
TEST(MaximalProperty, LongerTraces) {
  for_random_traces(scaled(600), {.max_events = 24}, 200'000);
}
TEST(MaximalProperty, CriticalSections) {
  for_random_traces(scaled(1'500), {.max_events = 18, .missing = false, .objects = false, .scopes = 100}, 300'000);
}
TEST(MaximalProperty, State) {
  for_random_traces(scaled(6'000), {.max_events = 16, .state = 100}, 700'000);
  for_random_traces(scaled(4'000), {.missing = false, .state = 100, .scopes = 0}, 800'000);
}
// Tier 4 alone, and with the other solver.
TEST(MaximalProperty, TheWholeFormulaAtOnce) {
  for_random_traces(scaled(3'000), {.max_events = 16}, 400'000, {.budget = {.search = 0}});
  for_random_traces(scaled(1'000), {.max_events = 16, .state = 100}, 450'000, {.budget = {.search = 0}});
}
TEST(MaximalProperty, TheOtherSolver) {
  // Few of them may have no race at all.
  for_random_traces(std::max(100, scaled(200)), {.max_events = 16}, 500'000, {.solver = smt::make_z3_solver});
}

void for_small_traces(Family family, int max_events) {
  std::uint64_t races = 0;
  std::string complaint;
  for_all_traces(family, max_events, [&](const trace::Trace& trace) {
    if (complaint.empty())
      if (complaint = decides_as_the_oracle(trace, {}, &races); !complaint.empty()) complaint += "\n" + describe(trace);
  });
  EXPECT_EQ(complaint, "");
  EXPECT_GT(races, 0U);
}
// Under the sanitizers these are left out (run-tests): the random ones cover the same code.
TEST(SmallTraces, AreDecidedAsByTheOracle) {
  for_small_traces(Family::Plain, 5);
}
TEST(SmallTraces, WithStateAreDecidedAsByTheOracle) {
  for_small_traces(Family::Stateful, 5);
  for_small_traces(Family::Unchecked, 4);
}
TEST(SmallTraces, MaximalIsExactOnFreed) {
  for_small_traces(Family::Freed, 4);
}
TEST(SmallTraces, WithValuesAreDecidedAsByTheOracle) {
  for_small_traces(Family::Valued, 4);
}

// Larger traces, where no oracle can go: every schedule passes the judge, no pair is left unknown, and both tiers of
// the search say the same.
TEST(MaximalProperty, LargeTraces) {
  std::uint64_t races = 0, others = 0;
  for (int i = 0; i < scaled(60); ++i) {
    const trace::Trace trace = random_trace(600'000 + static_cast<std::uint64_t>(i), {.max_events = 120});
    const Predictor predictor(trace);
    const witness::Judge judge(trace);
    for (std::size_t b = 0; b < trace.events.size(); ++b)
      for (std::size_t a = b % 7; a < b; a += 7) {
        const EventNo x{a}, y{b};
        if (!trace::conflict(trace.events[a], trace.events[b])) continue;
        if (judge.execution().life_of(x) != judge.execution().life_of(y)) continue;
        const Decision decision = predictor.decide(x, y, {});
        ASSERT_NE(decision.verdict, Verdict::Unknown) << "seed " << i << ", events " << a << " and " << b;
        EXPECT_EQ(predictor.decide(x, y, {.search = 0}).verdict, decision.verdict)
            << "seed " << i << ", events " << a << " and " << b;
        if (decision.verdict == Verdict::Race)
          EXPECT_EQ(judge.race(whole_schedule(decision), x, y).rule, "")
              << "seed " << i << ", events " << a << " and " << b;
        ++(decision.verdict == Verdict::Race ? races : others);
      }
  }
  EXPECT_GT(races, 0U);
  EXPECT_GT(others, 0U);
}

}  // namespace
}  // namespace racecast::property
