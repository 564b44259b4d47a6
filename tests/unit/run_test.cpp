// Who feeds the passes: any number of jobs gives the same answer (under the thread sanitizer, too), and what an index
// or a caller claims about a trace is checked.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "analysis/analysis.h"
#include "analysis/window/options.h"
#include "report/render.h"
#include "report/resolve.h"
#include "unit/text_trace.h"

namespace racecast {
namespace {

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const analysis::Analysis& a : analysis::analyses()) names.emplace_back(a.name);
  return names;
}

// A trace of many batches: a memory trace is one batch, files are not.
class InBatches : public trace::EventSource {
 public:
  InBatches(const trace::Trace& trace, std::size_t size) : trace_(trace), size_(size) {}
  Result<std::span<const trace::Event>> next() override {
    const std::size_t count = std::min(size_, trace_.events.size() - at_);
    at_ += count;
    return std::span(trace_.events).subspan(at_ - count, count);
  }
  const trace::Definitions& definitions() const override { return trace_.definitions; }

 private:
  const trace::Trace& trace_;
  std::size_t size_, at_ = 0;
};

analysis::Input in_batches(const trace::Trace& trace, std::size_t size, unsigned jobs) {
  analysis::Input input;
  input.check = true;
  input.jobs = jobs;
  input.keep_racy_events = true;
  input.open = [&trace, size]() -> Result<std::unique_ptr<trace::EventSource>> {
    return std::make_unique<InBatches>(trace, size);
  };
  return input;
}

trace::Trace busy_trace() {
  std::string text;
  const char* const threads[] = {"A", "B", "C"};
  for (int round = 0; round < 60; ++round) {
    const std::string t = threads[round % 3], x = "x" + std::to_string(round % 7), at = std::to_string(round % 11);
    if (round % 4 == 0) text += t + " lock m\n" + t + " write y 1 @20\n" + t + " unlock m\n";
    text += t + (round % 2 == 0 ? " write " : " read ") + x + " ? @" + at + "\n";
  }
  return text_trace(text);
}

std::string text_of(const analysis::Outputs& outputs) {
  std::string text;
  const report::Origin origin{.definitions = outputs.definitions};
  const auto add = [&](const std::vector<finding::Finding>& pairs) {
    text += report::lines(report::resolve(pairs, origin));
    for (const finding::Finding& pair : pairs)
      text += std::to_string(index(pair.first.event)) + "-" + std::to_string(index(pair.second.event)) + " ";
  };
  for (const analysis::Output& output : outputs.by_analysis) {
    add(output.findings);
    add(output.candidates);
    for (const EventNo event : output.racy.events) text += std::to_string(index(event)) + " ";
    text += "\n";
  }
  return text;
}

TEST(Run, JobsAndBatchesDoNotMatter) {
  const trace::Trace trace = busy_trace();
  const Result<analysis::Outputs> one = analysis::run(in_batches(trace, 1000, 1), all_names());
  ASSERT_TRUE(one) << one.error().message;
  EXPECT_GT(one->by_analysis[0].findings.size(), 3u);
  for (const unsigned jobs : {1u, 2u, 5u})
    for (const std::size_t batch : {7u, 1000u}) {
      const Result<analysis::Outputs> other = analysis::run(in_batches(trace, batch, jobs), all_names());
      ASSERT_TRUE(other) << other.error().message;
      EXPECT_EQ(text_of(*one), text_of(*other)) << jobs << " jobs, batches of " << batch;
      EXPECT_EQ(other->events, trace.events.size());
    }
}

// Every analysis says that it was ended, and what it found is what it finds in the beginning of the trace.
TEST(Run, ALimitLeavesTheBeginning) {
  const trace::Trace trace = busy_trace();
  const std::size_t batch = 20;
  trace::Trace beginning = trace;
  beginning.events.resize(batch);
  for (const Limits& over : {Limits(Limits::Clock::duration::zero(), 0), Limits(std::nullopt, 1)}) {
    analysis::Input input = in_batches(trace, batch, 2);
    input.limits = over;
    for (const std::string& name : all_names()) {
      const Result<analysis::Outputs> ended = analysis::run(input, std::vector{name});
      ASSERT_TRUE(ended) << ended.error().message;
      EXPECT_EQ(ended->events, batch);
      const analysis::Output& output = ended->by_analysis.front();
      EXPECT_FALSE(output.complete) << name;
      EXPECT_NE(output.limit.find(name + " looked at the first 20 events before the "), std::string::npos)
          << output.limit;
      EXPECT_NE(output.limit.find(over.memory() == 0 ? "time limit (--budget)" : "memory limit (--memory)"),
                std::string::npos)
          << output.limit;
      const Result<analysis::Outputs> all = analysis::run(in_batches(beginning, batch, 1), std::vector{name});
      ASSERT_TRUE(all) << all.error().message;
      for (const finding::Finding& finding : output.findings)
        EXPECT_TRUE(std::ranges::any_of(all->by_analysis.front().findings, [&](const finding::Finding& other) {
          return other.first.event == finding.first.event && other.second.event == finding.second.event;
        })) << name;
    }
  }
}

TEST(Run, LimitsThatAreNotReachedChangeNothing) {
  const trace::Trace trace = busy_trace();
  analysis::Input input = in_batches(trace, 50, 2);
  const Result<analysis::Outputs> without = analysis::run(input, all_names());
  input.limits = Limits(std::chrono::hours(1), std::uint64_t{1} << 50);
  const Result<analysis::Outputs> with = analysis::run(input, all_names());
  ASSERT_TRUE(without && with);
  EXPECT_EQ(text_of(*without), text_of(*with));
  for (std::size_t i = 0; i < with->by_analysis.size(); ++i)
    EXPECT_EQ(without->by_analysis[i].limit, with->by_analysis[i].limit);
}

TEST(Run, AnErrorEndsItWithAllThreadsAtRest) {
  trace::Trace trace = busy_trace();
  trace.events[80].thread = static_cast<ThreadId>(77);
  for (const unsigned jobs : {1u, 4u}) {
    const Result<analysis::Outputs> outputs = analysis::run(in_batches(trace, 10, jobs), all_names());
    ASSERT_FALSE(outputs);
    EXPECT_NE(outputs.error().message.find("event 80"), std::string::npos) << outputs.error().message;
  }
}

TEST(Run, RefusesWhatItDoesNotKnow) {
  const trace::Trace trace = busy_trace();
  const Result<analysis::Outputs> outputs =
      analysis::run(analysis::input_of(trace), std::vector<std::string>{"hb", "tea leaves"});
  ASSERT_FALSE(outputs);
  EXPECT_EQ(outputs.error().message, "there is no analysis tea leaves");
}

class LyingSource : public InBatches {
 public:
  using InBatches::InBatches;
  std::optional<bool> has_missing_code() const override { return false; }
};

// Knows, as a file does, whether there is missing code; there is none.
using KnowingSource = LyingSource;

TEST(Run, DoesNotBelieveAnIndexThatDeniesMissingCode) {
  const trace::Trace trace =
      text_trace("reach everything\nA write x 1 @1\nA mbegin %0 f @9\nA mend 0 @9\nB read x 1 @2\n");
  analysis::Input input = in_batches(trace, 10, 1);
  input.open = [&trace]() -> Result<std::unique_ptr<trace::EventSource>> {
    return std::make_unique<LyingSource>(trace, 10);
  };
  const Result<analysis::Outputs> outputs = analysis::run(input, std::vector<std::string>{"hb"});
  ASSERT_FALSE(outputs);
  EXPECT_NE(outputs.error().message.find("missing code"), std::string::npos);
}

// How often the trace is opened, which for a file is how often it is read and unpacked.
std::size_t opens_of(const trace::Trace& trace, const std::vector<std::string>& names, std::uint64_t window = 0) {
  std::size_t opens = 0;
  analysis::Input input = analysis::input_of(trace);
  input.only_new = true;
  input.own.set(analysis::WindowOptions{window});
  input.open = [&]() -> Result<std::unique_ptr<trace::EventSource>> {
    ++opens;
    return std::make_unique<KnowingSource>(trace, 1000);
  };
  const Result<analysis::Outputs> outputs = analysis::run(input, names);
  EXPECT_TRUE(outputs) << outputs.error().message;
  return opens;
}

TEST(Run, OpensATraceNoOftenerThanItMust) {
  const trace::Trace racy = busy_trace();
  const std::vector<std::string> defaults = analysis::default_analyses();
  // The filters; then hb, shb and syncp; the judge of shb's schedules, and of syncp's; the windows of the others, which
  // are cut once for maximal, value and path, and described from memory.
  EXPECT_EQ(opens_of(racy, defaults), 5u);
  EXPECT_EQ(opens_of(racy, {"maximal"}), 2u);
  EXPECT_EQ(opens_of(racy, {"maximal", "value", "path"}), 2u) << "one pass, one cutting";
  // A trace of several windows is not in memory as a whole: what was found is described by one more look at it.
  EXPECT_EQ(opens_of(racy, {"maximal"}, 20), 3u);
  EXPECT_EQ(opens_of(racy, {"maximal", "value", "path"}, 20), 3u);
  // Nothing comes through the filters, and there is nothing to judge.
  EXPECT_EQ(opens_of(text_trace("A write x 1 @1\nA write y 1 @2\n"), defaults), 2u);
}

TEST(Run, RowsSayWhatAnalysesAre) {
  EXPECT_EQ(analysis::default_analyses(), (std::vector<std::string>{"hb", "shb", "syncp", "maximal", "value", "path"}));
  const std::vector<std::string> reads{"nondet"}, races{"hb", "path"}, both{"hb", "nondet"};
  using enum analysis::Yields;
  EXPECT_TRUE(analysis::any_yields(reads, Reads) && !analysis::any_yields(reads, Races));
  EXPECT_TRUE(!analysis::any_yields(races, Reads) && analysis::any_yields(races, Races));
  EXPECT_TRUE(analysis::any_yields(both, Reads) && analysis::any_yields(both, Races));
  // Of one family, each has its own answer, in whatever order they are asked for, and others may stand between.
  const trace::Trace trace = busy_trace();
  const std::vector<std::string> apart{"path", "syncp", "maximal", "hb", "value"};
  const Result<analysis::Outputs> outputs = analysis::run(analysis::input_of(trace), apart);
  ASSERT_TRUE(outputs) << outputs.error().message;
  ASSERT_EQ(outputs->by_analysis.size(), 5u);
  for (std::size_t i = 0; i < apart.size(); ++i) {
    ASSERT_FALSE(outputs->by_analysis[i].findings.empty()) << apart[i];
    EXPECT_EQ(outputs->by_analysis[i].findings[0].analyses, std::vector<std::string>{apart[i]});
  }
}

TEST(Run, NothingAtAll) {
  const trace::Trace empty;
  const Result<analysis::Outputs> outputs = analysis::run(analysis::input_of(empty), all_names());
  ASSERT_TRUE(outputs) << outputs.error().message;
  for (const analysis::Output& output : outputs->by_analysis) {
    EXPECT_TRUE(output.findings.empty() && output.candidates.empty());
    EXPECT_TRUE(output.complete);
  }
}

}  // namespace
}  // namespace racecast
