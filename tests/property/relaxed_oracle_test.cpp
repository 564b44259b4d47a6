// The oracle of `value` and `path` (relaxed_oracle.h), checked from all sides: its interpreter against the explorer,
// its answers against the `expect` lines of the litmus files and, on random programs, between `maximal` and `all`.
#include "property/relaxed_oracle.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <optional>
#include <tuple>

#include "base/check.h"
#include "program/machine/explore.h"
#include "property/laws.h"
#include "property/litmus_files.h"
#include "property/random_litmus.h"

namespace racecast::property {
namespace {

using InstrPairs = std::set<std::pair<InstrId, InstrId>>;
using Labels = std::set<std::pair<std::string, std::string>>;
constexpr oracle::RelaxedLimits kLimits{.max_states = 20'000};

// By pairs of labels; accesses without a label are never listed.
Labels labels_of(const trace::Trace& trace, const InstrPairs& pairs) {
  Labels labels;
  for (const auto& [a, b] : pairs) {
    const std::string& x = trace.definitions.locations[index(a)].label;
    const std::string& y = trace.definitions.locations[index(b)].label;
    if (!x.empty() && !y.empty()) labels.insert(std::minmax(x, y));
  }
  return labels;
}

std::string text_of(const trace::Trace& trace, const InstrPairs& pairs) {
  std::string text;
  for (const auto& [a, b] : labels_of(trace, pairs)) text += fmt::format(" ({},{})", a, b);
  return text.empty() ? " none" : text;
}

InstrPairs instructions_of(const trace::Trace& trace, const std::set<oracle::Pair>& pairs) {
  InstrPairs result;
  const auto instruction = [&](EventNo e) { return static_cast<InstrId>(index(trace.events[index(e)].location)); };
  for (const auto& [a, b] : pairs) result.insert(std::minmax(instruction(a), instruction(b)));
  return result;
}

// ---- the litmus files

TEST(RelaxedOracle, LitmusExpectationsHold) {
  std::map<std::string, int> checked, incomplete;
  for (const auto& [name, text, file] : litmus_files({"litmus"})) {
    const auto recording = oracle::record(file);
    ASSERT_TRUE(recording.has_value()) << recording.error().message;
    for (const program::Expectation& line : file.expectations) {
      oracle::RelaxedRaces races;
      if (line.analysis == "value") {
        races = oracle::value_races(*recording);
        EXPECT_EQ(instructions_of(recording->trace, races.events), races.races) << name;
      } else if (line.analysis == "path") {
        races = oracle::path_races(*recording);
      } else if (line.analysis == "all") {
        races = oracle::all_races(*file.program);
      } else {
        continue;
      }
      ++(races.complete ? checked : incomplete)[line.analysis];
      if (!races.complete) continue;
      Labels expected;
      for (const auto& [a, b] : line.pairs) expected.insert(std::minmax(a, b));
      EXPECT_EQ(labels_of(recording->trace, races.races), expected) << name << ": " << line.analysis << "\n"
                                                                    << describe(recording->trace);
    }
  }
  for (const char* analysis : {"value", "path", "all"}) {
    std::printf("%s: %d checked, %d not complete\n", analysis, checked[analysis], incomplete[analysis]);
    EXPECT_GE(checked[analysis], 50) << analysis;
    EXPECT_EQ(incomplete[analysis], 0) << analysis;
  }
}

// ---- random programs

using Law = std::function<std::string(const program::LitmusFile&, const oracle::Recording&)>;

void for_random_programs(int count, const Flavour& flavour, std::uint64_t first_seed, const Law& law) {
  for (std::uint64_t seed = first_seed; seed < first_seed + static_cast<std::uint64_t>(count); ++seed) {
    const auto run = [&](const std::string& text) -> std::string {
      const auto file = program::parse_litmus(text, "random.litmus");
      if (!file) return "";
      const auto recording = oracle::record(*file, {.schedule = {}, .seed = seed, .limits = {150}});
      return recording ? law(*file, *recording) : "";
    };
    const RandomProgram program = random_program(seed, flavour);
    const std::string complaint = run(text_of(program));
    if (complaint.empty()) continue;
    const RandomProgram small = shrink(program, [&](const std::string& text) { return !run(text).empty(); });
    std::string events;
    if (const auto file = program::parse_litmus(text_of(small), "random.litmus")) {
      const auto recording = oracle::record(*file, {.schedule = {}, .seed = seed, .limits = {150}});
      if (recording) events = describe(recording->trace);
    }
    FAIL() << "seed " << seed << ": " << complaint << "\n--- shrunk: " << run(text_of(small)) << "\n"
           << text_of(small) << "\n--- its trace\n"
           << events;
  }
}

TEST(RelaxedOracle, RunsProgramsAsTheExplorerDoes) {
  int complete = 0, races = 0;
  for_random_programs(scaled(1500), {.values = true, .statements = 20}, 1,
                      [&](const program::LitmusFile& file, const oracle::Recording& recording) -> std::string {
                        const auto explored = program::explore(file.program, {.max_states = 20'000});
                        const oracle::RelaxedRaces all = oracle::all_races(*file.program, kLimits);
                        if (!explored || !explored->complete || !all.complete) return "";
                        InstrPairs expected;
                        for (const program::ExploredRace& race : explored->races) expected.insert({race.a, race.b});
                        ++complete;
                        races += static_cast<int>(expected.size());
                        if (expected == all.races) return "";
                        return fmt::format("explored:{}, here:{}", text_of(recording.trace, expected),
                                           text_of(recording.trace, all.races));
                      });
  std::printf("%d complete, %d races\n", complete, races);
  EXPECT_GE(complete, scaled(1500) / 2);
}

// `value` once more, for programs without missing code, by other means: program::Machine makes every step, and what it
// and the local computation behind it did is compared with the recorded events afterwards. Local computation is seen by
// nobody, so a thread that has gone too far in it may be stopped then; only its end is seen, by who joins it.
class ValueByMachine {
 public:
  ValueByMachine(const program::LitmusFile& file, const trace::Trace& trace)
      : file_(file), trace_(trace), recorder_(file.program, definitions_, sink_) {
    for (const trace::Event& e : trace.events) {
      if (paths_.size() <= index(e.thread)) paths_.resize(index(e.thread) + 1);
      paths_[index(e.thread)].push_back(static_cast<EventNo>(&e - trace.events.data()));
    }
  }

  // Nothing where there are too many states.
  std::optional<std::set<oracle::Pair>> run() {
    Result<program::Machine> machine = program::Machine::start(file_.program, recorder_.observer());
    CHECK(machine.has_value());
    Node start{*std::move(machine), std::vector<std::size_t>(paths_.size()), std::vector<bool>(paths_.size())};
    for (const trace::Event& e : events_) follow(start, e);
    visit(std::move(start));
    while (!todo_.empty() && seen_.size() < 20'000) {
      const Node node = std::move(todo_.back());
      todo_.pop_back();
      for (std::uint32_t t = 0; t < node.machine.threads(); ++t) {
        if (node.machine.enabled(ThreadId{t}) && !node.stopped[t]) steps(node, ThreadId{t});
      }
    }
    return todo_.empty() ? std::optional(pairs_) : std::nullopt;
  }

 private:
  struct Node {
    program::Machine machine;
    std::vector<std::size_t> done;  // by thread: how much of its recorded path
    std::vector<bool> stopped;
  };

  // Is this the recorded event? What is read and written may be other values, and so may outcomes.
  static bool same(const trace::Event& a, trace::Event b) {
    if (a.has(trace::kTry) || a.has(trace::kCas))
      b.flags = static_cast<decltype(b.flags)>((b.flags & ~trace::kFailed) | (a.flags & trace::kFailed));
    const bool value_counts = a.kind == trace::EventKind::Branch;
    const bool aux_counts = !trace::is_access(a.kind);
    return a.kind == b.kind && a.location == b.location && a.address == b.address && a.flags == b.flags &&
           (!value_counts || a.value == b.value) && (!aux_counts || a.aux == b.aux);
  }
  const trace::Event* expected(const Node& node, ThreadId t) const {
    const auto& path = paths_[index(t)];
    if (node.stopped[index(t)] || node.done[index(t)] == path.size()) return nullptr;
    return &trace_.events[index(path[node.done[index(t)]])];
  }
  bool follow(Node& node, const trace::Event& e) const {
    const trace::Event* recorded = expected(node, e.thread);
    const bool fits = recorded != nullptr && same(*recorded, e);
    if (fits) ++node.done[index(e.thread)];
    if (!fits) node.stopped[index(e.thread)] = true;
    return fits;
  }

  void steps(const Node& node, ThreadId t) {
    const program::Instruction& i = *node.machine.next(t).instruction;
    if (i.op == program::Op::Join && node.stopped[i.operands[0].value]) return;
    const std::size_t wakes = node.machine.wake_choices(t);
    for (std::size_t wake = 0; wake < wakes; ++wake) {
      Node next = node;
      events_.clear();
      // A mistake can only be behind a branch that was not taken; the thread stops before it then.
      const Status ignored = next.machine.step(t, recorder_.observer(), wake);
      if (events_.empty() || !follow(next, events_.front())) continue;  // the step itself is not the recorded one
      for (std::size_t k = 1; k < events_.size(); ++k) follow(next, events_[k]);
      visit(std::move(next));
    }
  }

  void visit(Node node) {
    const auto fingerprint = node.machine.fingerprint();
    if (!seen_.insert({fingerprint.low, fingerprint.high, node.done, node.stopped}).second) return;
    std::vector<EventNo> next;
    for (std::uint32_t t = 0; t < node.machine.threads(); ++t) {
      const trace::Event* e = t < paths_.size() ? expected(node, ThreadId{t}) : nullptr;
      const program::NextStep step = node.machine.next(ThreadId{t});
      if (e == nullptr || !trace::is_access(e->kind) || step.instruction == nullptr) continue;
      if (index(step.instruction->id) == index(e->location) && step.address == e->address)
        next.push_back(paths_[t][node.done[t]]);
    }
    for (const EventNo a : next)
      for (const EventNo b : next)
        if (a < b && trace::conflict(trace_.events[index(a)], trace_.events[index(b)])) pairs_.emplace(a, b);
    todo_.push_back(std::move(node));
  }

  const program::LitmusFile& file_;
  const trace::Trace& trace_;
  std::vector<std::vector<EventNo>> paths_;
  trace::Definitions definitions_;
  std::vector<trace::Event> events_;
  trace::VectorSink sink_{events_};
  trace::Recorder recorder_;
  std::set<std::tuple<std::uint64_t, std::uint64_t, std::vector<std::size_t>, std::vector<bool>>> seen_;
  std::vector<Node> todo_;
  std::set<oracle::Pair> pairs_;
};

TEST(RelaxedOracle, ValueIsTheSameByTheOtherInterpreter) {
  int complete = 0;
  for_random_programs(scaled(1500), {.missing = false, .values = true, .statements = 20}, 200'000,
                      [&](const program::LitmusFile& file, const oracle::Recording& recording) -> std::string {
                        const oracle::RelaxedRaces value = oracle::value_races(recording, kLimits);
                        const auto other = ValueByMachine(file, recording.trace).run();
                        if (!value.complete || !other) return "";
                        ++complete;
                        if (*other == value.events) return "";
                        // The machine knows what is got where other things were put, the oracle does not.
                        const bool has_state = std::ranges::any_of(file.program->globals, [](const program::Global& g) {
                          return g.kind == program::GlobalKind::State;
                        });
                        if (has_state && std::ranges::includes(*other, value.events)) return "";
                        return fmt::format("by the machine:{}, by the oracle:{}",
                                           text_of(recording.trace, instructions_of(recording.trace, *other)),
                                           text_of(recording.trace, value.races));
                      });
  std::printf("%d complete\n", complete);
  EXPECT_GE(complete, scaled(1500) / 2);
}

// The same interpreter with the rules of maximal causality gives what the oracle of traces gives: it obeys
// missing-order, synchronisation and contents as docs/semantics.md has them.
TEST(RelaxedOracle, MaximalIsTheSameByTheOracleOfTraces) {
  int complete = 0, with_missing = 0, races = 0;
  const auto law = [&](const program::LitmusFile&, const oracle::Recording& recording) -> std::string {
    const oracle::RelaxedRaces here = oracle::maximal_races(recording, kLimits);
    const oracle::Races there = oracle::races(recording.trace, {.max_states = 20'000});
    if (!here.complete || !there.search.complete) return "";
    ++complete;
    with_missing += recording.missing.calls.empty() ? 0 : 1;
    races += static_cast<int>(here.events.size());
    const std::set<oracle::Pair> pairs = there.pairs();
    if (pairs == here.events) return "";
    std::string text = "by the trace:";
    for (const auto& [a, b] : pairs) text += fmt::format(" {}-{}", index(a), index(b));
    text += ", by the program:";
    for (const auto& [a, b] : here.events) text += fmt::format(" {}-{}", index(a), index(b));
    return text;
  };
  for_random_programs(scaled(1500), {.faults = false}, 300'000, law);
  for_random_programs(scaled(1500), {.faults = false, .values = true, .statements = 20}, 310'000, law);
  std::printf("%d complete, %d with missing code, %d races\n", complete, with_missing, races);
  EXPECT_GE(complete, scaled(3000) / 2);
  EXPECT_GE(with_missing, scaled(3000) / 40);
}

std::string missing_in(const char* name, const trace::Trace& trace, const InstrPairs& smaller,
                       const InstrPairs& larger) {
  InstrPairs missing;
  std::set_difference(smaller.begin(), smaller.end(), larger.begin(), larger.end(),
                      std::inserter(missing, missing.begin()));
  return missing.empty() ? "" : fmt::format("{}:{}", name, text_of(trace, missing));
}

struct Counts {
  int programs = 0, value_only = 0, path_only = 0, all_only = 0, races = 0;
};

// maximal ⊆ value ⊆ path ⊆ all. `counts` says how often each is more than the one before.
Law inclusions(Counts& counts) {
  return [&counts](const program::LitmusFile& file, const oracle::Recording& recording) -> std::string {
    const trace::Trace& trace = recording.trace;
    const oracle::RelaxedRaces value = oracle::value_races(recording, kLimits);
    if (value.complete) {
      const oracle::Races maximal = oracle::races(trace, {.max_states = 20'000});
      const std::set<oracle::Pair> pairs = maximal.pairs();
      std::set<oracle::Pair> missing;
      std::set_difference(pairs.begin(), pairs.end(), value.events.begin(), value.events.end(),
                          std::inserter(missing, missing.begin()));
      if (!missing.empty()) return "maximal, not value:" + text_of(trace, instructions_of(trace, missing));
      if (maximal.search.complete && value.events != pairs) ++counts.value_only;
    }
    const oracle::RelaxedRaces path = oracle::path_races(recording, kLimits);
    if (path.complete) {
      const std::string complaint = missing_in("value, not path", trace, value.races, path.races);
      if (!complaint.empty()) return complaint;
      if (value.complete && value.races != path.races) ++counts.path_only;
    }
    const auto explored = program::explore(file.program, {.max_states = 50'000});
    if (explored && explored->complete) {
      InstrPairs all;
      for (const program::ExploredRace& race : explored->races) all.insert({race.a, race.b});
      const std::string complaint = missing_in("path, not all", trace, path.races, all);
      if (!complaint.empty()) return complaint;
      if (path.complete && path.races != all) ++counts.all_only;
    }
    counts.races += static_cast<int>(value.races.size());
    ++counts.programs;
    return "";
  };
}

void print(const Counts& c) {
  std::printf(
      "%d programs, %d pairs by value; value more than maximal %d, path more than value %d, all more than path %d\n",
      c.programs, c.races, c.value_only, c.path_only, c.all_only);
}

TEST(RelaxedOracle, IsBetweenMaximalAndAll) {
  Counts counts;
  for_random_programs(scaled(2000), {.missing = false, .values = true, .statements = 20}, 1, inclusions(counts));
  print(counts);
  EXPECT_GE(counts.value_only, scaled(2000) / 40);
  EXPECT_GE(counts.path_only, scaled(2000) / 40);
}

TEST(RelaxedOracle, IsBetweenMaximalAndAllWithMissingCode) {
  Counts counts;
  for_random_programs(scaled(1500), {.values = true, .statements = 20}, 100'000, inclusions(counts));
  print(counts);
}

}  // namespace
}  // namespace racecast::property
