// The walk along the recorded path (model/walk/walk.h) against the interpreter, which recorded it: every litmus file
// and thousands of random programs verify, and a trace in which one thing was changed does not.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "model/walk/verify.h"
#include "program/litmus/litmus.h"
#include "property/laws.h"
#include "property/litmus_files.h"
#include "property/random_litmus.h"
#include "trace/recorder.h"

namespace racecast::property {
namespace {

using model::MismatchKind;
using model::WalkReport;
using trace::Event;
using trace::EventKind;

std::string text_of(const model::Mismatch& m) {
  return fmt::format("{} at event {}, instruction {}: {:#x} expected, {:#x} recorded", model::text_of(m.kind),
                     index(m.event), index(m.instruction), m.expected, m.recorded);
}

WalkReport verify(const trace::Trace& trace) {
  trace::MemorySource source(trace);
  Result<WalkReport> report = model::verify_paths(source);
  EXPECT_TRUE(report.has_value()) << (report ? "" : report.error().message);
  return report ? *std::move(report) : WalkReport{};
}

// How many threads ended because an index was out of range: the walker does not know how long an object is.
std::uint64_t ends_at_an_index(const trace::Trace& trace) {
  const program::InstructionIndex instructions(*trace.definitions.program);
  return static_cast<std::uint64_t>(std::ranges::count_if(trace.events, [&](const Event& e) {
    return e.kind == EventKind::Branch &&
           instructions[static_cast<InstrId>(index(e.location))].instruction->op == program::Op::Index;
  }));
}

// What is wrong with the walk of an unchanged trace; empty: nothing. `all_known`: nothing else may be unknown either.
std::string complaint_about(const trace::Trace& trace, bool all_known) {
  const WalkReport report = verify(trace);
  if (report.total() != 0) return text_of(report.first.front());
  if (report.counts.events != trace.events.size()) return "events were left out";
  if (report.counts.outside != 0) return fmt::format("{} events outside", report.counts.outside);
  if (!all_known) return "";
  auto c = report.counts;
  if (c.unknown_branches != ends_at_an_index(trace)) return fmt::format("{} unknown branches", c.unknown_branches);
  c.unknown_branches = 0;
  if (c.unknown_addresses + c.unknown_values + c.unknown_branches + c.unknown_results + c.callbacks != 0)
    return fmt::format("unknown: {} addresses, {} values, {} branches; {} callbacks", c.unknown_addresses,
                       c.unknown_values, c.unknown_branches, c.callbacks);
  std::uint64_t accesses = 0, branches = 0;
  for (const Event& e : trace.events) {
    accesses += trace::is_access(e.kind) ? 1 : 0;
    branches += e.kind == EventKind::Branch ? 1 : 0;
  }
  if (c.addresses < accesses) return fmt::format("{} addresses of {} accesses", c.addresses, accesses);
  if (c.branches > branches) return fmt::format("{} branches of {}", c.branches, branches);
  return "";
}

void for_random_traces(int count, const Flavour& flavour, std::uint64_t first_seed,
                       const std::function<std::string(const trace::Trace&, Random&)>& law) {
  for (std::uint64_t seed = first_seed; seed < first_seed + static_cast<std::uint64_t>(count); ++seed) {
    bool ran = false;
    const auto run = [&](const std::string& text) -> std::string {
      Result<program::LitmusFile> file = program::parse_litmus(text, "random.litmus");
      if (!file) return "";
      Result<trace::Trace> trace = trace::record(*file, {.schedule = {}, .seed = seed, .limits = {200}});
      if (!trace) return "";
      ran = true;
      Random random(seed);
      return law(*trace, random);
    };
    const RandomProgram program = random_program(seed, flavour);
    const std::string complaint = run(text_of(program));
    ASSERT_TRUE(ran) << "seed " << seed << ": it does not parse or run\n" << text_of(program);
    if (complaint.empty()) continue;
    const RandomProgram small = shrink(program, [&](const std::string& text) { return !run(text).empty(); });
    FAIL() << "seed " << seed << ": " << complaint << "\n--- shrunk: " << run(text_of(small)) << "\n" << text_of(small);
  }
}

TEST(PathProperty, EveryLitmusFileVerifies) {
  std::size_t traces = 0;
  const std::vector<LitmusOfTree> files = litmus_files({"litmus", "regress"});
  for (const auto& [name, text, file] : files) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      trace::RecordOptions options;
      if (seed != 0) options.seed = seed;
      options.limits.max_steps = 2000;
      const auto trace = trace::record(file, options);
      if (!trace) continue;  // a schedule that the file does not allow
      EXPECT_EQ(complaint_about(*trace, false), "") << name << ", seed " << seed;
      ++traces;
    }
  }
  EXPECT_GE(files.size(), 230u);
  EXPECT_GE(traces, 9 * files.size());
}

TEST(PathProperty, RandomProgramsVerify) {
  for_random_traces(scaled(4000), {}, 1,
                    [](const trace::Trace& trace, Random&) { return complaint_about(trace, false); });
}

// Without code that calls back, the model knows everything.
TEST(PathProperty, NothingIsUnknownWithoutCallbacks) {
  for_random_traces(scaled(4000), {.callbacks = false, .outside = false}, 100'000,
                    [](const trace::Trace& trace, Random&) { return complaint_about(trace, true); });
}

// Picks an event for which `fits`, changes it, and says what the report then must hold.
std::string one_change_is_seen(const trace::Trace& trace, Random& random, const std::function<bool(const Event&)>& fits,
                               const std::function<void(Event&)>& change, MismatchKind kind, int& changed) {
  std::vector<std::size_t> candidates;
  for (std::size_t k = 0; k < trace.events.size(); ++k)
    if (fits(trace.events[k])) candidates.push_back(k);
  if (candidates.empty()) return "";
  const std::size_t at = random.pick(candidates);
  trace::Trace other = trace;
  change(other.events[at]);
  ++changed;
  const WalkReport report = verify(other);
  const auto seen = std::ranges::any_of(
      report.first, [&](const model::Mismatch& m) { return m.kind == kind && m.event == EventNo{at}; });
  if (seen) return "";
  return fmt::format("the change of event {} is not reported; first of {}: {}", at, report.total(),
                     report.first.empty() ? "" : text_of(report.first.front()));
}

void expect_seen(std::uint64_t seed, const std::function<bool(const Event&)>& fits,
                 const std::function<void(Event&)>& change, MismatchKind kind) {
  int changed = 0;
  for_random_traces(600, {.callbacks = false, .faults = false, .outside = false}, seed,
                    [&](const trace::Trace& trace, Random& random) {
                      return one_change_is_seen(trace, random, fits, change, kind, changed);
                    });
  EXPECT_GE(changed, 10);
}

TEST(PathProperty, AChangedStoreIsSeen) {
  expect_seen(
      200'000, [](const Event& e) { return e.kind == EventKind::Write || e.kind == EventKind::AtomicWrite; },
      [](Event& e) { e.value ^= 4; }, MismatchKind::Value);
}
TEST(PathProperty, AChangedRmwIsSeen) {
  expect_seen(
      210'000, [](const Event& e) { return e.kind == EventKind::AtomicRmw; }, [](Event& e) { e.aux += 1; },
      MismatchKind::Value);
}
TEST(PathProperty, AChangedAddressIsSeen) {
  expect_seen(
      220'000, [](const Event& e) { return trace::is_access(e.kind); }, [](Event& e) { e.address += 8; },
      MismatchKind::Address);
}
TEST(PathProperty, AChangedLockIsSeen) {
  expect_seen(
      230'000, [](const Event& e) { return trace::row_of(e.kind).group == trace::Group::Lock; },
      [](Event& e) { e.address += 64; }, MismatchKind::Address);
}
TEST(PathProperty, AChangedSizeIsSeen) {
  expect_seen(
      240'000, [](const Event& e) { return trace::is_access(e.kind); }, [](Event& e) { e.size = 4; },
      MismatchKind::Size);
}
TEST(PathProperty, AChangedBranchIsSeen) {
  expect_seen(
      250'000, [](const Event& e) { return e.kind == EventKind::Branch; }, [](Event& e) { e.value ^= 1; },
      MismatchKind::Branch);
}
TEST(PathProperty, AChangedPlaceIsSeen) {
  int changed = 0;
  for_random_traces(
      scaled(1500), {.callbacks = false, .outside = false}, 260'000, [&](const trace::Trace& trace, Random& random) {
        std::vector<std::size_t> candidates;
        for (std::size_t k = 0; k < trace.events.size(); ++k)
          if (trace::is_access(trace.events[k].kind)) candidates.push_back(k);
        if (candidates.empty()) return std::string();
        trace::Trace other = trace;
        Event& e = other.events[random.pick(candidates)];
        e.location = static_cast<LocationId>((index(e.location) + 1) % trace.definitions.locations.size());
        ++changed;
        return verify(other).resyncs() != 0 ? "" : std::string("an event at another instruction is not reported");
      });
  EXPECT_GE(changed, 10);
}
TEST(PathProperty, ALostEventIsSeen) {
  int changed = 0;
  for_random_traces(
      scaled(1500), {.callbacks = false, .faults = false, .outside = false}, 270'000,
      [&](const trace::Trace& trace, Random& random) {
        // Of the last events of a thread nobody can know.
        std::vector<std::size_t> candidates;
        for (std::size_t k = 0; k < trace.events.size(); ++k) {
          const Event& e = trace.events[k];
          const bool followed = std::any_of(trace.events.begin() + static_cast<std::ptrdiff_t>(k) + 1,
                                            trace.events.end(), [&](const Event& f) { return f.thread == e.thread; });
          if (followed && (trace::is_access(e.kind) || e.kind == EventKind::Branch || e.kind == EventKind::Lock ||
                           e.kind == EventKind::Return))
            candidates.push_back(k);
        }
        if (candidates.empty()) return std::string();
        trace::Trace other = trace;
        other.events.erase(other.events.begin() + static_cast<std::ptrdiff_t>(random.pick(candidates)));
        ++changed;
        // A Call that nothing explains is taken for a callback; it is counted as such.
        const WalkReport report = verify(other);
        return report.total() + report.counts.callbacks != 0 ? "" : std::string("a lost event is not reported");
      });
  EXPECT_GE(changed, 10);
}

// However a trace is damaged, the walk ends, and accounts for every event.
TEST(PathProperty, DamageIsSurvived) {
  for_random_traces(scaled(2000), {}, 300'000, [&](const trace::Trace& trace, Random& random) {
    if (trace.events.empty()) return std::string();
    trace::Trace other = trace;
    for (int k = 0; k < 5; ++k) {
      const auto some = [&] { return static_cast<std::size_t>(random.below(static_cast<int>(other.events.size()))); };
      Event& e = other.events[some()];
      switch (random.below(6)) {
        case 0:
          e.location = static_cast<LocationId>(random.below(static_cast<int>(trace.definitions.locations.size())));
          break;
        case 1: std::swap(e, other.events[some()]); break;
        case 2: e.kind = static_cast<EventKind>(1 + random.below(static_cast<int>(trace::kEventKinds) - 1)); break;
        case 3: e.value = random.next(); break;
        case 4: e.aux = random.next(); break;
        default: e.address = random.next(); break;
      }
    }
    return verify(other).counts.events == other.events.size() ? "" : std::string("events were left out");
  });
}

}  // namespace
}  // namespace racecast::property
