// `nondet` is sound and complete: of every read, every challenger and every form it says what the brute-force oracle
// says, and each interleaving passes the judge.
#include <gtest/gtest.h>

#include <cstdio>
#include <functional>

#include "property/all_traces.h"
#include "property/laws.h"
#include "property/laws_nondet.h"
#include "property/random_scopes.h"
#include "property/random_traces.h"
#include "trace/validator.h"

namespace racecast::property {
namespace {

void say(const char* name, const NondetCounts& counts) {
  const auto number = [](std::uint64_t n) { return static_cast<unsigned long long>(n); };
  std::printf("%s: %llu feasible (%llu by choices), %llu infeasible (%llu by choices), %llu reads, %llu skipped\n",
              name, number(counts.feasible), number(counts.chosen_feasible), number(counts.infeasible),
              number(counts.chosen_infeasible), number(counts.reads), number(counts.skipped));
}

using Law = std::string (*)(const trace::Trace&, NondetCounts*);

using Make = std::function<trace::Trace(std::uint64_t seed)>;

NondetCounts for_traces(int count, std::uint64_t first_seed, const Make& make, Law law) {
  NondetCounts counts;
  for (int i = 0; i < count; ++i) {
    const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(i);
    const trace::Trace trace = make(seed);
    const std::string complaint = law(trace, &counts);
    if (complaint.empty()) continue;
    const trace::Trace small = shrink(trace, [&](const trace::Trace& candidate) {
      return trace::validate(candidate).has_value() && !law(candidate, nullptr).empty();
    });
    ADD_FAILURE() << "seed " << seed << ": " << complaint << "\n"
                  << "--- shrunk: " << law(small, nullptr) << "\n"
                  << describe(small);
    break;
  }
  say("random traces", counts);
  EXPECT_LT(counts.skipped, static_cast<std::uint64_t>(count) / 4 + 1);
  return counts;
}
NondetCounts for_random_traces(int count, const TraceFlavour& flavour, std::uint64_t first_seed,
                               Law law = witnesses_as_the_oracle) {
  return for_traces(count, first_seed, [&](std::uint64_t seed) { return random_trace(seed, flavour); }, law);
}

TEST(NondetProperty, RandomTraces) {
  const NondetCounts counts = for_random_traces(scaled(4'000), {}, 1);
  EXPECT_GT(counts.reads, 0U);
}
TEST(NondetProperty, RandomTracesWithoutMissingCode) {
  for_random_traces(scaled(4'000), {.missing = false}, 100'000);
}

TEST(NondetProperty, State) {
  for_random_traces(scaled(3'000), {.state = 100}, 1'100'000);
  for_random_traces(scaled(3'000), {.state = 100}, 1'200'000, enumeration_as_the_oracle);
}

TEST(NondetProperty, AllAtOnce) {
  for_random_traces(scaled(4'000), {}, 200'000, enumeration_as_the_oracle);
}
TEST(NondetProperty, AllAtOnceInCriticalSections) {
  for_random_traces(scaled(3'000), {.max_events = 18, .missing = false, .objects = false, .scopes = 100}, 300'000,
                    enumeration_as_the_oracle);
}

// Nested and overlapping scopes of 3 or 4 threads.
TEST(NondetProperty, Scopes) {
  const auto make = [](std::uint64_t seed) { return random_scopes(seed, 18); };
  const NondetCounts one = for_traces(scaled(2'000), 400'000, make, witnesses_as_the_oracle);
  if (scaled(2'000) >= 100) EXPECT_GT(one.chosen_feasible, 0U);
  for_traces(scaled(2'000), 500'000, make, enumeration_as_the_oracle);
}
TEST(NondetProperty, TheListIsComplete) {
  EXPECT_GT(for_random_traces(scaled(3'000), {}, 900'000, list_as_the_oracle).feasible, 0U);
  for_traces(scaled(1'000), 950'000, [](std::uint64_t seed) { return random_scopes(seed, 16); }, list_as_the_oracle);
}
TEST(NondetProperty, WindowsAddNothing) {
  EXPECT_GT(for_random_traces(scaled(2'000), {.max_events = 40}, 1'000'000, windows_add_no_read).feasible, 0U);
}
TEST(NondetProperty, LargeTraces) {
  for_random_traces(scaled(30), {.max_events = 120}, 700'000, enumeration_as_the_search);
  for_traces(
      scaled(30), 800'000, [](std::uint64_t seed) { return random_scopes(seed, 150); }, enumeration_as_the_search);
}
// Challenges that phase 1 leaves open and every choice of phase 2 refutes.
TEST(NondetProperty, ScopesWithoutAWay) {
  const int count = scaled(400);
  for (const Law law : {witnesses_as_the_oracle, enumeration_as_the_oracle}) {
    const NondetCounts counts = for_traces(count, 600'000, scopes_without_a_way, law);
    EXPECT_GE(counts.chosen_infeasible, static_cast<std::uint64_t>(count) / 4);
  }
}

void for_small_traces(Family family, int max_events, Law law) {
  NondetCounts counts;
  std::string complaint;
  for_all_traces(family, max_events, [&](const trace::Trace& trace) {
    if (complaint.empty())
      if (complaint = law(trace, &counts); !complaint.empty()) complaint += "\n" + describe(trace);
  });
  say("small traces", counts);
  EXPECT_EQ(complaint, "");
  EXPECT_GT(counts.feasible, 0U);
  EXPECT_GT(counts.infeasible, 0U);
}
// Under the sanitizers these are left out (run-tests): the random ones cover the same code.
TEST(SmallTraces, WitnessesAreDecidedAsByTheOracle) {
  for_small_traces(Family::Plain, 5, witnesses_as_the_oracle);
}
TEST(SmallTraces, WitnessesAreDecidedAllAtOnceAsByTheOracle) {
  for_small_traces(Family::Plain, 5, enumeration_as_the_oracle);
}
TEST(SmallTraces, WitnessesWithStateAreDecidedAsByTheOracle) {
  for_small_traces(Family::Stateful, 5, witnesses_as_the_oracle);
}
TEST(SmallTraces, WitnessesWithValuesAreDecidedAsByTheOracle) {
  for_small_traces(Family::Valued, 4, witnesses_as_the_oracle);
}

}  // namespace
}  // namespace racecast::property
