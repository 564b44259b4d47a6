// Windows of `maximal`: carried events and a piece of the trace are a valid trace, and its races are exactly those that
// the oracle finds among the reorderings of the trace that begin with what was recorded before the piece. And the whole
// pass: its pairs of places are those of the oracle, its schedules are right, however the trace is cut.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <functional>

#include "analysis/analysis.h"
#include "analysis/maximal/decide.h"
#include "analysis/window/options.h"
#include "analysis/window/windows.h"
#include "property/laws.h"
#include "property/laws_analyses.h"
#include "property/random_traces.h"
#include "trace/validator.h"
#include "witness/judge.h"

namespace racecast::property {
namespace {

using analysis::predict::CarriedState;
using analysis::predict::Predictor;
using analysis::predict::SemaphoreStarts;
using analysis::predict::Verdict;
using analysis::predict::WindowOfTrace;
using analysis::predict::Windows;

constexpr oracle::Limits kLimits{.max_states = 20'000};

using Law = std::function<std::string(const trace::Trace&)>;

void for_random_traces(int count, const Law& law, const TraceFlavour& flavour = {}) {
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(count); ++seed) {
    const trace::Trace trace = random_trace(seed, flavour);
    if (law(trace).empty()) continue;
    const trace::Trace small = shrink(trace, [&](const trace::Trace& candidate) {
      return trace::validate(candidate).has_value() && !law(candidate).empty();
    });
    FAIL() << "seed " << seed << ": " << law(small) << "\n"
           << describe(small) << "\nbranches: " << small.definitions.branches;
  }
}

// The events [first, end) of the trace, as a window.
WindowOfTrace window_of(const trace::Trace& trace, std::size_t first, std::size_t end) {
  SemaphoreStarts starts;
  for (std::size_t i = 0; i < end; ++i) starts.add(trace.events[i]);
  CarriedState state(trace.definitions, starts);
  for (std::size_t i = 0; i < first; ++i) state.add(trace.events[i]);
  const std::span piece(trace.events.data() + first, end - first);
  WindowOfTrace window;
  window.trace.definitions = trace.definitions;
  window.trace.events = state.carry(piece);
  window.fixed = window.trace.events.size();
  window.first = first;
  window.trace.events.insert(window.trace.events.end(), piece.begin(), piece.end());
  state.say_counts(std::span(window.trace.events).subspan(window.fixed));
  return window;
}

std::string dump(const WindowOfTrace& window) {
  return fmt::format("\n--- window from event {}, {} carried:\n{}\n---\n", window.first, window.fixed,
                     describe(window.trace));
}

std::string carried_is_valid(const trace::Trace& trace) {
  for (std::size_t first = 0; first <= trace.events.size(); ++first)
    for (const std::size_t size : {1, 3, 100}) {
      const WindowOfTrace window = window_of(trace, first, std::min(first + size, trace.events.size()));
      if (const Status valid = trace::validate(window.trace); !valid) return valid.error().message + dump(window);
    }
  return "";
}

TEST(WindowsProperty, CarriedEventsMakeAValidTrace) {
  for_random_traces(scaled(5'000), carried_is_valid);
  for_random_traces(scaled(500), carried_is_valid, {.max_events = 60});
}

// The pairs that race after the first `first` events of the trace, in their order.
std::optional<std::set<oracle::Pair>> races_after(const trace::Trace& trace, std::size_t first) {
  const oracle::Facts facts(trace);
  std::set<oracle::Pair> pairs;
  const oracle::Allowed allowed = [&](const oracle::Execution& execution, int e) {
    const std::size_t done = execution.events().size();
    return done >= first || static_cast<std::size_t>(e) == done;
  };
  const oracle::Visit visit = [&](const oracle::Execution& execution) {
    if (execution.events().size() < first) return;
    for (int a = static_cast<int>(first); a < facts.size(); ++a)
      for (int b = a + 1; b < facts.size(); ++b)
        if (facts.conflict(a, b) && !execution.has(a) && !execution.has(b) && execution.broken_by_next(a).empty() &&
            execution.broken_by_next(b).empty())
          pairs.insert({EventNo{static_cast<std::uint64_t>(a)}, EventNo{static_cast<std::uint64_t>(b)}});
  };
  if (!oracle::for_all_reorderings(facts, kLimits, visit, allowed).complete) return std::nullopt;
  return pairs;
}

// Who sleeps at the start of a window may be woken by a notify that, in the recorded run, was for somebody else: that
// is not carried (docs/maximal.md).
bool somebody_sleeps(const trace::Trace& trace, std::size_t first) {
  std::set<ThreadId> asleep;
  for (std::size_t i = 0; i < first; ++i) {
    if (trace.events[i].kind == trace::EventKind::Wait) asleep.insert(trace.events[i].thread);
    if (trace.events[i].kind == trace::EventKind::Wake) asleep.erase(trace.events[i].thread);
  }
  return !asleep.empty();
}

std::uint64_t races_in_windows = 0;  // that the tests below have seen

std::string windows_are_exact(const trace::Trace& whole) {
  for (std::size_t first = 1; first < whole.events.size(); first += 2)
    for (const std::size_t size : {4, 100}) {
      const std::size_t end = std::min(first + size, whole.events.size());
      trace::Trace trace = whole;  // what comes after the window is not there
      trace.events.resize(end);
      const auto expected = races_after(trace, first);
      if (!expected) continue;
      const WindowOfTrace window = window_of(trace, first, end);
      const Predictor predictor(window.trace, window.fixed);
      const witness::Judge judge(trace);
      const oracle::Facts facts(trace);
      for (std::size_t a = first; a < end; ++a)
        for (std::size_t b = a + 1; b < end; ++b) {
          if (!facts.conflict(static_cast<int>(a), static_cast<int>(b))) continue;
          const EventNo x{a}, y{b};
          const auto decision =
              predictor.decide(EventNo{a - first + window.fixed}, EventNo{b - first + window.fixed}, {});
          const bool race = expected->contains({x, y});
          const bool found = decision.verdict == Verdict::Race;
          if (decision.verdict == Verdict::Unknown) return fmt::format("({},{}) is unknown", a, b) + dump(window);
          if (race && !found && !somebody_sleeps(trace, first))
            return fmt::format("({},{}) is lost", a, b) + dump(window);
          if (!found) continue;
          if (!race) return fmt::format("({},{}) is no race", a, b) + dump(window);
          ++races_in_windows;
          finding::Schedule schedule;
          for (std::size_t i = 0; i < first; ++i) schedule.push_back({EventNo{i}, std::nullopt});
          for (const finding::ScheduleStep& step : decision.schedule)
            if (index(step.event) >= window.fixed) schedule.push_back({window.number(step.event), std::nullopt});
          const witness::Judgement judgement = judge.race(schedule, x, y);
          if (!judgement.accepted)
            return fmt::format("({},{}): the judge says {}: {}", a, b, judgement.rule, judgement.detail) + dump(window);
        }
    }
  return "";
}

TEST(WindowsProperty, WindowsAddAndLoseNothing) {
  for_random_traces(scaled(1'500), windows_are_exact);
  EXPECT_GT(races_in_windows, 0u);
}
TEST(WindowsProperty, WindowsAddAndLoseNothingWithoutMissingCode) {
  for_random_traces(scaled(1'500), windows_are_exact, {.missing = false});
}

Result<analysis::Output> maximal(const trace::Trace& trace, std::uint64_t window, unsigned jobs) {
  analysis::Input input = analysis::input_of(trace);
  input.own.set(analysis::WindowOptions{window});
  input.jobs = jobs;
  RC_TRY(analysis::Outputs outputs, analysis::run(input, std::vector<std::string>{"maximal"}));
  return std::move(outputs.by_analysis.front());
}

std::set<LocationPair> locations_of(const analysis::Output& output) {
  std::set<LocationPair> pairs;
  for (const finding::Finding& f : output.findings) pairs.insert(in_order(f.first.location, f.second.location));
  return pairs;
}

// The pass gives exactly the oracle's pairs of places, with one window.
std::string pass_is_exact(const trace::Trace& trace) {
  const oracle::Races races = oracle::races(trace, kLimits);
  if (!races.search.complete) return "";
  const Result<analysis::Output> output = maximal(trace, 0, 1);
  if (!output) return output.error().message;
  if (!output->complete || !output->candidates.empty()) return "not complete: " + output->limit;
  std::set<LocationPair> expected;
  for (const auto& [a, b] : races.pairs())
    expected.insert(in_order(trace.events[index(a)].location, trace.events[index(b)].location));
  if (locations_of(*output) != expected)
    return fmt::format("maximal finds{}, the oracle{}", describe(trace, locations_of(*output)),
                       describe(trace, expected));
  return findings_are_certain(trace, "maximal", races);
}

TEST(MaximalPassProperty, FindsThePlacesOfAllRaces) {
  for_random_traces(scaled(5'000), pass_is_exact);
  for_random_traces(scaled(1'000), pass_is_exact, {.max_events = 22, .missing = false});
}

// Cut into windows, it finds some of them, with schedules of the whole trace.
std::string cut_pass_is_certain(const trace::Trace& trace) {
  const witness::Judge judge(trace);
  for (const std::uint64_t size : {2, 5, 8}) {
    const Result<analysis::Output> output = maximal(trace, size, 1);
    if (!output) return output.error().message;
    if (!output->rejected.empty()) return output->rejected.front();
    if (output->complete && trace.events.size() > size) return "windows, and it says that it saw everything";
    for (const finding::Finding& f : output->findings) {
      const finding::Schedule schedule = finding::schedule_of(*f.schedule, trace.events);
      if (schedule.size() != finding::length_of(*f.schedule)) return "the schedule is not all there";
      const witness::Judgement judgement = judge.race(schedule, f.first.event, f.second.event);
      if (!judgement.accepted)
        return fmt::format("windows of {}: ({},{}): the judge says {} at step {}: {}", size, index(f.first.event),
                           index(f.second.event), judgement.rule, judgement.step, judgement.detail);
    }
  }
  return "";
}

TEST(MaximalPassProperty, WindowsGiveSchedulesOfTheWholeTrace) {
  for_random_traces(scaled(3'000), cut_pass_is_certain);
  for_random_traces(scaled(200), cut_pass_is_certain, {.max_events = 60});
}

}  // namespace
}  // namespace racecast::property
