// The pass `maximal` around its decision core: what it reports, says of itself, and leaves to others.
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/analysis.h"
#include "analysis/maximal/decide_window.h"
#include "analysis/window/options.h"
#include "report/render.h"
#include "report/resolve.h"
#include "unit/text_trace.h"
#include "witness/judge.h"

namespace racecast {
namespace {

namespace predict = analysis::predict;

// B's scope must come before A's: none of the other default analyses sees it.
constexpr const char* kSwapped =
    "A lock m\n"
    "A write x 1 @1\n"
    "A write y 1 @2\n"
    "A unlock m\n"
    "B lock m\n"
    "B write y 2 @3\n"
    "B unlock m\n"
    "B write x 2 @4\n";

Result<analysis::Outputs> run(const trace::Trace& trace, const std::vector<std::string>& names,
                              const std::function<void(analysis::Input&)>& change = {}) {
  analysis::Input input = analysis::input_of(trace);
  if (change) change(input);
  return analysis::run(input, names);
}

analysis::Output maximal(const trace::Trace& trace, const std::function<void(analysis::Input&)>& change = {}) {
  auto outputs = run(trace, {"maximal"}, change);
  EXPECT_TRUE(outputs) << outputs.error().message;
  return outputs ? std::move(outputs->by_analysis.front()) : analysis::Output();
}

std::uint64_t figure(const analysis::Output& output, const std::string& name) {
  const auto it = std::find_if(output.figures.begin(), output.figures.end(),
                               [&](const analysis::Figure& figure) { return figure.name == name; });
  EXPECT_NE(it, output.figures.end()) << name;
  return it == output.figures.end() ? ~std::uint64_t{0} : it->value;
}

TEST(MaximalPass, FindsWhatNeedsTwoScopesSwapped) {
  const trace::Trace trace = text_trace(kSwapped);
  const analysis::Output output = maximal(trace);
  EXPECT_TRUE(output.complete);
  EXPECT_TRUE(output.rejected.empty());
  ASSERT_EQ(output.findings.size(), 1u);
  const finding::Finding& f = output.findings[0];
  EXPECT_EQ(f.grade, finding::Grade::Predicted);
  EXPECT_EQ(f.analyses, std::vector<std::string>{"maximal"});
  EXPECT_EQ(f.first.event, EventNo{1});
  EXPECT_EQ(f.second.event, EventNo{7});
  EXPECT_EQ(f.first.locks.size(), 1u);
  ASSERT_TRUE(f.schedule);
  const finding::Schedule schedule = finding::schedule_of(*f.schedule, trace.events);
  EXPECT_TRUE(witness::Judge(trace).race(schedule, f.first.event, f.second.event).accepted);
  EXPECT_EQ(std::get<finding::Interleaving>(*f.schedule).stretches,
            (std::vector<finding::Stretch>{{ThreadId{1}, 3}, {ThreadId{0}, 1}}));
  EXPECT_EQ(figure(output, "pairs of places: race"), 1u);
  EXPECT_EQ(figure(output, "settled by a common lock"), 1u);
  EXPECT_EQ(figure(output, "windows"), 1u);
}

TEST(MaximalPass, SaysWhichReadsReturnAnotherValue) {
  const trace::Trace trace = text_trace(
      "branches\n"
      "A write x 1 @1\n"
      "A write f 1 @2\n"
      "B read f 1 @3\n"
      "B read x 1 @4\n");
  const analysis::Output output = maximal(trace);
  const auto about_x = std::find_if(output.findings.begin(), output.findings.end(),
                                    [](const finding::Finding& f) { return f.second.event == EventNo{3}; });
  ASSERT_NE(about_x, output.findings.end());
  const auto& plan = std::get<finding::Interleaving>(*about_x->schedule);
  ASSERT_EQ(plan.others.size(), 1u);
  EXPECT_EQ(plan.others[0].event, EventNo{2});
  EXPECT_EQ(plan.others[0].value, std::nullopt) << "f's content at the start is not known";
  EXPECT_EQ(plan.end, 3u);
}

TEST(MaximalPass, LeavesOutWhatOthersScheduledIfAskedTo) {
  const trace::Trace trace = text_trace(std::string(kSwapped) + "A write z 1 @5\nB write z 2 @6\n");
  const auto pairs = [&](bool only_new, std::vector<std::string> names) {
    const auto outputs = run(trace, names, [&](analysis::Input& input) { input.only_new = only_new; });
    EXPECT_TRUE(outputs);
    const auto place = static_cast<std::size_t>(std::find(names.begin(), names.end(), "maximal") - names.begin());
    return outputs->by_analysis[place].findings.size();
  };
  EXPECT_EQ(pairs(false, {"hb", "shb", "syncp", "maximal"}), 2u);
  EXPECT_EQ(pairs(true, {"hb", "shb", "syncp", "maximal"}), 1u);
  EXPECT_EQ(pairs(true, {"hb", "maximal"}), 2u) << "hb has no schedule";
  EXPECT_EQ(pairs(true, {"maximal", "shb"}), 2u) << "it came first";
}

// Without a program, or in many windows, `value` and `path` decide as maximal does. Who comes first does it for all,
// whatever stands between them in the list.
TEST(MaximalPass, OneOfTheFamilyDecidesForAll) {
  const trace::Trace trace = text_trace(std::string(kSwapped) + "A write z 1 @5\nB write z 2 @6\n");
  for (const std::uint64_t window : {6, 100})
    for (const char* first : {"value", "path"}) {
      const auto outputs = run(trace, {first, "syncp", "maximal"}, [&](analysis::Input& input) {
        input.only_new = true;
        input.own.set(analysis::WindowOptions{window});
      });
      ASSERT_TRUE(outputs) << outputs.error().message;
      EXPECT_FALSE(outputs->by_analysis[0].findings.empty());
      EXPECT_GT(figure(outputs->by_analysis[0], "pairs of accesses"), 0u);
      EXPECT_TRUE(outputs->by_analysis[2].findings.empty());
      EXPECT_EQ(figure(outputs->by_analysis[2], "pairs of accesses"), 0u) << first << " has looked at them";
      EXPECT_EQ(outputs->by_analysis[2].complete, outputs->by_analysis[0].complete);
    }
}

trace::Trace many_places() {
  std::string text;
  for (int i = 0; i < 60; ++i) {
    const std::string v = "v" + std::to_string(i), at = std::to_string(2 * i), other = std::to_string(2 * i + 1);
    text += "A write " + v + " 1 @" + at + "\n";
    if (i % 3 == 0) text += "A lock m\nA write s 1 @900\nA unlock m\n";
    if (i % 3 == 1) text += "B lock m\nB write s 2 @901\nB unlock m\n";
    text += "B write " + v + " 2 @" + other + "\n";
  }
  return text_trace(text);
}

std::string text_of(const trace::Trace& trace, const analysis::Output& output) {
  const report::Origin origin{trace.definitions, &trace.events};
  report::Report report;
  report::Part& part = report.parts.emplace_back();
  part.findings = report::resolve(output.findings, origin);
  part.candidates = report::resolve(output.candidates, origin);
  std::string text = report::json(report) + output.limit;
  for (const analysis::Figure& f : output.figures) text += f.name + std::to_string(f.value);
  return text;
}

TEST(MaximalPass, JobsChangeNothing) {
  const trace::Trace trace = many_places();
  for (const std::uint64_t window : {0, 40}) {
    const auto with = [&](unsigned jobs) {
      return text_of(trace, maximal(trace, [&](analysis::Input& input) {
                       input.jobs = jobs;
                       input.own.set(analysis::WindowOptions{window});
                     }));
    };
    const std::string one = with(1);
    EXPECT_EQ(one, with(2));
    EXPECT_EQ(one, with(7));
  }
}

TEST(MaximalPass, SaysWhichWindowsALimitLeftOut) {
  const analysis::Output output =
      maximal(text_trace(kSwapped), [](analysis::Input& input) { input.limits = Limits(std::nullopt, 1); });
  EXPECT_TRUE(output.findings.empty());
  EXPECT_FALSE(output.complete);
  EXPECT_NE(output.limit.find("did not look at the last 1 of 1 windows before the memory limit"), std::string::npos)
      << output.limit;
}

// Each pair of places that is not settled is unknown, not refuted.
TEST(MaximalPass, SaysHowManyPairsALimitLeftOut) {
  const trace::Trace trace = text_trace(kSwapped);
  const predict::WindowOfTrace window{trace, 0, 0, true};
  predict::DecideOptions options;
  options.asked = {predict::Relaxation::None};
  const Result<predict::WindowResult> result =
      predict::decide(window, options, {1, Limits(Limits::Clock::duration::zero(), 0), {}});
  ASSERT_TRUE(result) << result.error().message;
  const predict::Answer& answer = result->answers.front();
  ASSERT_FALSE(answer.places.empty());
  EXPECT_EQ(answer.counts.left, answer.places.size());
  for (const predict::Settled& settled : answer.places) EXPECT_EQ(settled.verdict, predict::Verdict::Unknown);
}

TEST(MaximalPass, LessMemoryMakesSmallerWindows) {
  using namespace predict;
  EXPECT_EQ(fitting(0).whole, kWholeTrace);
  EXPECT_EQ(fitting(std::uint64_t{1} << 50).window, kWindow);
  EXPECT_EQ(fitting(kBytesOfEvent * 100'000).whole, 100'000u);
  EXPECT_EQ(fitting(1).window, kLeastWindow);
  EXPECT_EQ(count_windows(100, {100, 50}), 1u);
  EXPECT_EQ(count_windows(101, {100, 50}), 4u);  // 0, 25, 50, 75
  EXPECT_EQ(count_windows(100, {50, 50}), 3u);
}

TEST(MaximalPass, WindowsSayThatTheyMayMissSomething) {
  const trace::Trace trace = many_places();
  const analysis::Output cut =
      maximal(trace, [](analysis::Input& input) { input.own.set(analysis::WindowOptions{40}); });
  EXPECT_FALSE(cut.complete);
  EXPECT_NE(cut.limit.find("windows of 40 events"), std::string::npos) << cut.limit;
  EXPECT_GT(figure(cut, "windows"), 1u);
  const witness::Judge judge(trace);
  bool later = false;
  for (const finding::Finding& f : cut.findings) {
    const finding::Schedule schedule = finding::schedule_of(*f.schedule, trace.events);
    EXPECT_TRUE(judge.race(schedule, f.first.event, f.second.event).accepted) << "of the whole trace";
    later |= std::get<finding::Interleaving>(*f.schedule).recorded != 0;
  }
  EXPECT_TRUE(later);
  const analysis::Output whole =
      maximal(trace, [&](analysis::Input& input) { input.own.set(analysis::WindowOptions{trace.events.size()}); });
  EXPECT_TRUE(whole.complete);
  EXPECT_EQ(whole.findings.size(), 60u);
  EXPECT_EQ(cut.findings.size(), 60u) << "each fits into a window";
}

// A's accesses to x are before all of B's, by way of `between`.
std::string ordered_by(const std::string& between, int accesses) {
  std::string text;
  for (int i = 0; i < accesses; ++i) text += "A write x 1 @1\n";
  text += between;
  for (int i = 0; i < accesses; ++i) text += "B write x 2 @2\n";
  return text;
}

TEST(MaximalPass, OrderSettlesAnyNumberOfPairs) {
  const analysis::Output output = maximal(text_trace(ordered_by("A write y 1 @3\nB read y 1 @4\n", 80)));
  EXPECT_TRUE(output.complete) << output.limit;
  ASSERT_EQ(output.findings.size(), 1u);
  EXPECT_EQ(output.findings[0].second.event, EventNo{81}) << "y";
  EXPECT_EQ(figure(output, "settled by order"), 6400u);
}

// Which write of a value it was that was read does not matter, nor that both values come again and again.
TEST(MaximalPass, RoundsOverAFlagAreOrdered) {
  std::string text = "branches\n";
  for (int i = 0; i < 200; ++i)
    text +=
        "A write x 1 @1\nA write f 1 @3\nB read f 1 @4\nB branch 1\nB write x 2 @2\nB write f 0 @5\nA read f 0 @6\n"
        "A branch 1\n";
  const trace::Trace trace = text_trace(text);
  const analysis::Output output = maximal(trace);
  EXPECT_TRUE(output.complete) << output.limit;
  EXPECT_EQ(figure(output, "settled by search"), 0u);
  for (const finding::Finding& finding : output.findings)
    EXPECT_NE(finding.first.address, trace.events[0].address) << "only f, which is no atomic, may race";
}

// Must-order does not know of semaphores; each pair has to be tried.
TEST(MaximalPass, WhatWasNotTriedInFullIsUnknown) {
  const std::string between = "A post s 0\nB down s 0\n";
  const analysis::Output few = maximal(text_trace(ordered_by(between, 20)));
  EXPECT_TRUE(few.complete) << "400 pairs: all are tried; " << few.limit;
  EXPECT_EQ(figure(few, "pairs of places: no race"), 1u);

  const analysis::Output many = maximal(text_trace(ordered_by(between, 80)));
  EXPECT_FALSE(many.complete);
  EXPECT_NE(many.limit.find("1 pair of places was not examined in full"), std::string::npos) << many.limit;
  EXPECT_EQ(many.findings.size(), 0u);
  ASSERT_EQ(many.candidates.size(), 1u);
  EXPECT_EQ(many.candidates[0].analyses, std::vector<std::string>{"maximal"});
  EXPECT_NE(many.candidates[0].reason.find("unknown"), std::string::npos);
  EXPECT_EQ(figure(many, "pairs of places: unknown"), 1u);
  EXPECT_EQ(figure(many, "pairs of places: no race"), 0u);
}

TEST(MaximalPass, NothingToDoIsFine) {
  const analysis::Output empty = maximal(text_trace(""));
  EXPECT_TRUE(empty.complete);
  EXPECT_TRUE(empty.findings.empty());
  EXPECT_TRUE(maximal(text_trace("A write x 1\n")).findings.empty());
}

}  // namespace
}  // namespace racecast
