// Memory that one thread frees and another one is given again (docs/semantics.md, section 3, passed-on memory): values
// that are addresses in it are known by their writer only. The oracle finds them by itself, byte by byte. The maximal
// pass gives its places; what the pass forgets before it starts changes nothing for the oracle, and on what is left
// predictor and judge agree with it; analyses that follow recorded writers anyway are not touched by any of it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <optional>
#include <set>

#include "analysis/analysis.h"
#include "analysis/window/options.h"
#include "analysis/window/passed_on.h"
#include "property/laws.h"
#include "property/laws_analyses.h"
#include "property/laws_maximal.h"
#include "property/laws_nondet.h"
#include "property/random_traces.h"
#include "trace/text.h"
#include "trace/validator.h"

namespace racecast::property {
namespace {

constexpr oracle::Limits kLimits{.max_states = 20'000};
constexpr TraceFlavour kPassedOn{.passed_on = true}, kWithoutMissing{.missing = false, .passed_on = true};

using Law = std::function<std::string(const trace::Trace&, Random&)>;

void for_random_traces(int count, std::uint64_t first_seed, const TraceFlavour& flavour, const Law& law) {
  for (std::uint64_t seed = first_seed; seed < first_seed + static_cast<std::uint64_t>(count); ++seed) {
    const auto apply = [&](const trace::Trace& candidate) {
      Random random(seed);
      return law(candidate, random);
    };
    const trace::Trace trace = random_trace(seed, flavour);
    ASSERT_TRUE(trace::validate(trace)) << "seed " << seed << "\n" << describe(trace);
    const std::string complaint = apply(trace);
    if (complaint.empty()) continue;
    const trace::Trace small = shrink(trace, [&](const trace::Trace& candidate) {
      return trace::validate(candidate).has_value() && !apply(candidate).empty();
    });
    FAIL() << "seed " << seed << ": " << complaint << "\n--- shrunk: " << apply(small) << "\n"
           << describe(small) << "\nbranches: " << small.definitions.branches;
  }
}

trace::Trace forgotten(trace::Trace trace) {
  analysis::predict::forget_passed_on_addresses(trace);
  return trace;
}

struct Seen {
  std::uint64_t traces = 0, races = 0;
  std::uint64_t forgetful = 0;  // traces with a value that is forgotten
  std::uint64_t matters = 0;    // and a race that there would be if it were not
};

// What the pass forgets is what the definition says: the oracle has the same races, by the same schedules.
std::string forgetting_changes_nothing(const trace::Trace& trace, Seen& seen) {
  const oracle::Races races = oracle::races(trace, kLimits);
  if (!races.search.complete) return "";
  const trace::Trace less = forgotten(trace);
  const oracle::Races after = oracle::races(less, kLimits);
  ++seen.traces;
  seen.races += races.witnesses.size();
  if (!(less.events == trace.events)) ++seen.forgetful;
  if (after.search.complete && races.pairs() != after.pairs())
    return "the oracle has other races where the values are forgotten";
  const oracle::Facts of_trace(trace), of_less(less);
  for (const auto& [pair, witness] : races.witnesses)
    if (oracle::breach(of_less, witness)) return "a schedule is not correct where the values are forgotten";
  for (const auto& [pair, witness] : after.witnesses)
    if (oracle::breach(of_trace, witness)) return "a schedule is correct only where the values are forgotten";
  const analysis::predict::Predictor heedless(trace);
  for (int b = 0; b < of_trace.size(); ++b)
    for (int a = 0; a < b; ++a) {
      const oracle::Pair pair{static_cast<EventNo>(a), static_cast<EventNo>(b)};
      if (!of_trace.conflict(a, b) || races.witnesses.contains(pair)) continue;
      if (heedless.decide(pair.first, pair.second, {}).verdict != analysis::predict::Verdict::Race) continue;
      ++seen.matters;
      return "";
    }
  return "";
}

TEST(PassedOn, WhatIsForgottenIsWhatTheDefinitionSays) {
  Seen seen;
  for_random_traces(scaled(4000), 1, kWithoutMissing,
                    [&](const trace::Trace& trace, Random&) { return forgetting_changes_nothing(trace, seen); });
  for_random_traces(scaled(2000), 100'000, kPassedOn,
                    [&](const trace::Trace& trace, Random&) { return forgetting_changes_nothing(trace, seen); });
  std::printf("%llu traces, %llu races; %llu with values that are forgotten, in %llu it matters\n",
              static_cast<unsigned long long>(seen.traces), static_cast<unsigned long long>(seen.races),
              static_cast<unsigned long long>(seen.forgetful), static_cast<unsigned long long>(seen.matters));
  const auto enough = static_cast<std::uint64_t>(scaled(6000));
  EXPECT_GE(seen.traces, enough / 2);
  EXPECT_GE(seen.forgetful, enough / 20);
  if (enough >= 600) EXPECT_GT(seen.matters, 0u);
}

TEST(PassedOn, PredictorAndJudgeAgreeOnWhatIsLeft) {
  std::uint64_t races = 0;
  for_random_traces(scaled(3000), 200'000, kPassedOn, [&](const trace::Trace& trace, Random& random) {
    const trace::Trace less = forgotten(trace);
    std::string complaint = decides_as_the_oracle(less, {}, &races);
    if (complaint.empty()) complaint = judge_agrees_on_random_schedules(less, random, 5);
    return complaint.empty() ? judge_accepts_witnesses(less, oracle::races(trace, {.max_states = 2'000})) : complaint;
  });
  EXPECT_GT(races, 0u);
}

std::optional<std::set<oracle::Pair>> races_of(const trace::Trace& trace) {
  const oracle::Races races = oracle::races(trace, kLimits);
  if (!races.search.complete) return std::nullopt;
  return races.pairs();
}

// In the window [first, end) all events before it are there, in recorded order, and none behind it: what was passed on
// before it was passed on in every schedule too, what is passed on behind it in none, and neither is a matter. As the
// oracle knows no windows: the same trace up to `end`, with lives that ended before `first` somewhere else. (Without
// missing code, which reaches addresses.)
trace::Trace as_seen_in(std::size_t first, std::size_t end_of_window, trace::Trace trace) {
  trace.events.resize(std::min(end_of_window, trace.events.size()));
  constexpr std::uint64_t kElsewhere = 0x100000;
  for (std::size_t begin = 0; begin < first; ++begin) {
    if (trace.events[begin].kind != trace::EventKind::Alloc) continue;
    const std::uint64_t from = trace.events[begin].address, to = from + trace.events[begin].size;
    std::size_t end = begin;
    const auto inside = [&](const trace::Event& e) { return from <= e.address && e.address < to; };
    while (end < first && !(trace.events[end].kind == trace::EventKind::Free && inside(trace.events[end]))) ++end;
    if (end == first) continue;
    for (std::size_t i = begin; i <= end; ++i)
      if (inside(trace.events[i])) trace.events[i].address += kElsewhere * (begin + 1);
  }
  return trace;
}

Result<analysis::Output> maximal(const trace::Trace& trace, std::uint64_t window) {
  analysis::Input input = analysis::input_of(trace);
  input.own.set(analysis::WindowOptions{window});
  RC_TRY(analysis::Outputs outputs, analysis::run(input, std::vector<std::string>{"maximal"}));
  return std::move(outputs.by_analysis.front());
}

// With one window: exactly the oracle's places.
std::string pass_is_exact(const trace::Trace& trace) {
  const auto races = races_of(trace);
  if (!races) return "";
  std::set<LocationPair> expected, found;
  for (const auto& [a, b] : *races)
    expected.insert(in_order(trace.events[index(a)].location, trace.events[index(b)].location));
  const Result<analysis::Output> output = maximal(trace, 0);
  if (!output) return output.error().message;
  if (!output->rejected.empty()) return output->rejected.front();
  for (const finding::Finding& f : output->findings) found.insert(in_order(f.first.location, f.second.location));
  if (found == expected) return "";
  return fmt::format("maximal finds{}, the oracle{}", describe(trace, found), describe(trace, expected));
}

// With many: each is a race as seen in a window with both accesses.
std::string windows_are_certain(const trace::Trace& trace, std::uint64_t& found, std::uint64_t& only_in_a_window) {
  const auto races = races_of(trace);
  if (!races) return "";
  for (const std::uint64_t window : {5, 8}) {
    const Result<analysis::Output> output = maximal(trace, window);
    if (!output) return output.error().message;
    if (!output->rejected.empty()) return output->rejected.front();
    for (const finding::Finding& f : output->findings) {
      const oracle::Pair pair = std::minmax(f.first.event, f.second.event);
      ++found;
      if (races->contains(pair)) continue;
      const std::uint64_t a = index(pair.first), b = index(pair.second);
      bool race = false;
      for (std::uint64_t first = b + 1 > window ? b + 1 - window : 0; first <= a && !race; ++first) {
        const auto seen = races_of(as_seen_in(first, first + window, trace));
        race = !seen || seen->contains(pair);
      }
      if (!race) return fmt::format("windows of {}: ({},{}) is no race", window, a, b);
      ++only_in_a_window;
    }
  }
  return "";
}

TEST(PassedOn, ThePassGivesTheOraclesPlaces) {
  const auto law = [](const trace::Trace& trace, Random&) { return pass_is_exact(trace); };
  for_random_traces(scaled(3000), 300'000, kPassedOn, law);
  for_random_traces(scaled(500), 400'000, {.max_events = 22, .missing = false, .passed_on = true}, law);
}

TEST(PassedOn, WindowsAreCertain) {
  std::uint64_t found = 0, only_in_a_window = 0;
  for_random_traces(
      scaled(2000), 600'000, {.max_events = 18, .missing = false, .passed_on = true},
      [&](const trace::Trace& trace, Random&) { return windows_are_certain(trace, found, only_in_a_window); });
  std::printf("%llu races, %llu of them only in a window\n", static_cast<unsigned long long>(found),
              static_cast<unsigned long long>(only_in_a_window));
  EXPECT_GT(found, 0u);
}

TEST(PassedOn, OthersFollowTheirWriters) {
  NondetCounts counts;
  for_random_traces(scaled(1500), 500'000, kPassedOn, [&](const trace::Trace& trace, Random&) {
    std::string complaint = all_are_exact(trace, kLimits);
    if (complaint.empty()) complaint = all_are_certain(trace, oracle::races(trace, kLimits));
    // Missing code is kept by values, too: the pass forgets them first.
    if (complaint.empty()) complaint = enumeration_as_the_oracle(forgotten(trace), &counts);
    return complaint.empty() ? list_as_the_oracle(trace, &counts) : complaint;
  });
  EXPECT_GT(counts.feasible, 0u);
}

// The upper bytes of both writes are 0, but they are of addresses that are known by their writer only: missing code
// that reaches these bytes does not run after the other one.
TEST(PassedOn, MissingCodeIsKeptByTheWriterOfAnAddress) {
  const std::string text =
      "racecast-trace 1\nbranches\nthread T0\nthread T1\nsymbol x 0x1000 12\nsymbol h 0x2000 16\nreach "
      "0x1002+8\nstring f\n"
      "T0 alloc h size 16\nT0 free h size 16\nT1 alloc h size 16\n"
      "T0 write x {} size 8 @5\nT1 write x {} size 8 @11\nT1 mbegin %0 f @13\n";
  for (const bool passed_on : {true, false}) {
    const std::uint64_t first = passed_on ? 0x2010 : 0x12010, second = passed_on ? 0x2000 : 0x12000;
    const Result<trace::Trace> trace = trace::parse_text(fmt::format(fmt::runtime(text), first, second), "t");
    ASSERT_TRUE(trace) << trace.error().message;
    EXPECT_EQ(list_as_the_oracle(*trace, nullptr), "") << describe(*trace);
    const auto outputs = analysis::run(analysis::input_of(*trace), std::vector<std::string>{"nondet"});
    ASSERT_TRUE(outputs) << outputs.error().message;
    EXPECT_EQ(outputs->by_analysis.front().findings.size(), passed_on ? 0u : 1u);
  }
}

}  // namespace
}  // namespace racecast::property
