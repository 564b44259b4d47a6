// --missing: the three modes as filters on a trace.
#include "trace/missing_mode.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "analysis/analysis.h"
#include "program/litmus/litmus.h"
#include "program/program.h"
#include "source_dir.h"
#include "trace/recorder.h"
#include "trace/validator.h"

namespace racecast::trace {
namespace {

Trace recorded_text(const std::string& text, const std::string& name) {
  const Result<program::LitmusFile> file = program::parse_litmus(text, name);
  EXPECT_TRUE(file) << name;
  Result<Trace> trace = record(*file);
  EXPECT_TRUE(trace);
  return std::move(*trace);
}
Trace recorded(const std::string& name) {
  std::ifstream in(std::string(RACECAST_SOURCE_DIR) + "/tests/litmus/" + name + ".litmus");
  std::ostringstream text;
  text << in.rdbuf();
  return recorded_text(text.str(), name);
}

Trace in_mode(const Trace& trace, MissingMode mode) {
  const auto source = with_missing_mode(std::make_unique<MemorySource>(trace), mode);
  Result<Trace> all = read_all(*source);
  EXPECT_TRUE(all);
  return std::move(*all);
}

// How many races each analysis finds.
std::vector<std::size_t> found(const Trace& trace, MissingMode mode, std::vector<std::string> names) {
  analysis::Input input = analysis::input_of(trace);
  input.open = with_missing_mode(input.open, mode);
  input.check = true;
  const Result<analysis::Outputs> outputs = analysis::run(input, names);
  EXPECT_TRUE(outputs) << (outputs ? "" : outputs.error().message);
  std::vector<std::size_t> counts;
  if (!outputs) return counts;
  for (const analysis::Output& output : outputs->by_analysis) {
    EXPECT_TRUE(output.rejected.empty()) << output.rejected.front();
    counts.push_back(output.findings.size());
  }
  return counts;
}

using Counts = std::vector<std::size_t>;
const std::vector<std::string> kNames = {"hb", "shb", "syncp"};

TEST(MissingMode, Names) {
  EXPECT_EQ(missing_mode_of("reach"), MissingMode::Reach);
  EXPECT_EQ(missing_mode_of("barrier"), MissingMode::Barrier);
  EXPECT_EQ(missing_mode_of("ignore"), MissingMode::Ignore);
  EXPECT_EQ(missing_mode_of(""), std::nullopt);
  EXPECT_EQ(missing_mode_of("Ignore"), std::nullopt);
}

TEST(MissingMode, ReachIsTheSourceItself) {
  const Trace trace = recorded("missing_chain");
  auto source = std::make_unique<MemorySource>(trace);
  EventSource* const before = source.get();
  EXPECT_EQ(with_missing_mode(std::move(source), MissingMode::Reach).get(), before);
}

TEST(MissingMode, IgnoreLeavesMarkersInPlace) {
  for (const char* name : {"missing_chain", "missing_callback_nested", "missing_overlap_crossed"}) {
    const Trace trace = recorded(name);
    const Trace ignored = in_mode(trace, MissingMode::Ignore);
    ASSERT_EQ(ignored.events.size(), trace.events.size());
    EXPECT_TRUE(validate(ignored));
    std::vector<std::vector<std::uint64_t>> open(trace.definitions.threads.size());
    int sections = 0;
    for (std::size_t i = 0; i < trace.events.size(); ++i) {
      const Event &was = trace.events[i], &is = ignored.events[i];
      EXPECT_EQ(is.thread, was.thread);
      EXPECT_EQ(is.location, was.location);
      auto& names = open[index(was.thread)];
      if (was.kind == EventKind::MissingBegin) names.push_back(was.aux);
      if (was.kind != EventKind::MissingBegin && was.kind != EventKind::MissingEnd) {
        EXPECT_EQ(is, was);
        continue;
      }
      EXPECT_EQ(is.kind, EventKind::Marker);
      EXPECT_EQ(is.aux, names.back());
      if (was.kind == EventKind::MissingEnd) names.pop_back();
      ++sections;
    }
    EXPECT_GT(sections, 0);
  }
}

TEST(MissingMode, BarrierReachesEverything) {
  const Trace trace = recorded("missing_unrelated");
  const Trace barrier = in_mode(trace, MissingMode::Barrier);
  EXPECT_EQ(barrier.events, trace.events);
  ASSERT_EQ(barrier.definitions.reach.size(), trace.definitions.reach.size());
  for (const ReachSet& reach : barrier.definitions.reach) EXPECT_EQ(reach, (ReachSet{true, {}}));
}

// One program per caveat that has no race: only ignore reports one. Its program has its source, so that a schedule
// would be replayed, and could not be: the mode must see to it.
TEST(MissingMode, IgnoreHasTheFalseAlarms) {
  for (const char* name : {"rdit_fig4_1", "missing_overlap", "missing_callback_before_signal", "missing_ordinary_first",
                           "missing_chain", "missing_global"}) {
    const Trace trace = recorded(name);
    EXPECT_EQ(found(trace, MissingMode::Reach, kNames), (Counts{0, 0, 0})) << name;
    EXPECT_EQ(found(trace, MissingMode::Barrier, kNames), (Counts{0, 0, 0})) << name;
    EXPECT_EQ(found(trace, MissingMode::Ignore, kNames), (Counts{1, 1, 1})) << name;
  }
}

// Missing code that has nothing to do with a race hides it only if it is a barrier.
TEST(MissingMode, BarrierHidesRaces) {
  for (const char* name : {"missing_unrelated", "missing_global_racy", "missing_ordinary_elsewhere"}) {
    const Trace trace = recorded(name);
    EXPECT_EQ(found(trace, MissingMode::Reach, kNames), (Counts{1, 1, 1})) << name;
    EXPECT_EQ(found(trace, MissingMode::Barrier, kNames), (Counts{0, 0, 0})) << name;
    EXPECT_EQ(found(trace, MissingMode::Ignore, kNames), (Counts{1, 1, 1})) << name;
  }
}

// Caveat 5, and why it needs an annotation: missing_global without `&ready` is a false alarm. It is no file of
// tests/litmus, where what is found must be true.
TEST(MissingMode, StateThatNobodyTellsOfIsAFalseAlarm) {
  const auto program = [](const std::string& argument) {
    return "shared int x = 0, ready = 0\n"
           "missing fn open_gate(p) { ready = 1 }\n"
           "missing fn pass_gate(p) { while (ready == 0) { skip } }\n"
           "thread T1 { 1: x = 1; 2: open_gate(" +
           argument +
           ") }\n"
           "thread T2 { 3: pass_gate(" +
           argument +
           "); 4: t = x }\n"
           "run T1 T2\n";
  };
  EXPECT_EQ(found(recorded_text(program("&ready"), "told"), MissingMode::Reach, kNames), (Counts{0, 0, 0}));
  EXPECT_EQ(found(recorded_text(program("0"), "not told"), MissingMode::Reach, kNames), (Counts{1, 1, 1}));
}

// Equal reach sets are one set of the trace.
TEST(MissingMode, TheRecorderInternsReachSets) {
  const Trace trace = recorded("missing_chain");
  EXPECT_EQ(trace.definitions.reach.size(), 2u);  // &a and &b
  EXPECT_EQ(std::ranges::count(trace.events, EventKind::MissingBegin, &Event::kind), 4);
}

TEST(MissingMode, WithoutMissingCodeNothingChanges) {
  const Trace trace = recorded("recipe_fig1");
  for (const MissingMode mode : {MissingMode::Barrier, MissingMode::Ignore}) {
    const Trace same = in_mode(trace, mode);
    EXPECT_EQ(same.events, trace.events);
    EXPECT_EQ(same.definitions.program, trace.definitions.program);
    EXPECT_EQ(found(trace, mode, kNames), found(trace, MissingMode::Reach, kNames));
  }
}

// Definitions that come with later batches, and an end that no begin belongs to.
class InSteps : public EventSource {
 public:
  explicit InSteps(const Trace& trace) : trace_(trace) { definitions_.threads = trace.definitions.threads; }
  Result<std::span<const Event>> next() override {
    if (at_ == trace_.events.size()) return std::span<const Event>();
    const Event& e = trace_.events[at_];
    if (e.kind == EventKind::MissingBegin) {
      definitions_.reach.resize(std::max(definitions_.reach.size(), static_cast<std::size_t>(e.address) + 1));
      definitions_.reach[e.address] = trace_.definitions.reach[e.address];
    }
    return std::span<const Event>(trace_.events).subspan(at_++, 1);
  }
  const Definitions& definitions() const override { return definitions_; }

 private:
  const Trace& trace_;
  Definitions definitions_;
  std::size_t at_ = 0;
};

TEST(MissingMode, DefinitionsGrow) {
  const Trace trace = recorded("missing_chain");
  const auto source = with_missing_mode(std::make_unique<InSteps>(trace), MissingMode::Barrier);
  const Definitions& definitions = source->definitions();
  EXPECT_TRUE(definitions.reach.empty());
  std::size_t sections = 0;
  for (;;) {
    const auto batch = source->next();
    ASSERT_TRUE(batch);
    if (batch->empty()) break;
    for (const Event& e : *batch) {
      if (e.kind != EventKind::MissingBegin) continue;
      ASSERT_LT(e.address, definitions.reach.size());
      EXPECT_TRUE(definitions.reach[e.address].everything);
      ++sections;
    }
  }
  EXPECT_EQ(sections, 4u);
}

TEST(MissingMode, AnEndWithoutABeginIsLeftForTheValidator) {
  Trace trace;
  trace.definitions.threads = {"main"};
  Event e;
  e.kind = EventKind::MissingEnd;
  trace.events = {e};
  const Trace ignored = in_mode(trace, MissingMode::Ignore);
  EXPECT_EQ(ignored.events, trace.events);
  EXPECT_FALSE(validate(ignored));
}

}  // namespace
}  // namespace racecast::trace
