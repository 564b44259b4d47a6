// A report is data: what is resolved from findings, and what is rendered of it without any trace.
#include "report/report.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analysis/analysis.h"
#include "report/render.h"
#include "report/resolve.h"
#include "unit/text_trace.h"

namespace racecast {
namespace {

using report::Finding;

std::vector<finding::Finding> findings_of(const trace::Trace& trace, const std::string& analysis) {
  const auto outputs = analysis::run(analysis::input_of(trace), std::vector<std::string>{analysis});
  EXPECT_TRUE(outputs) << outputs.error().message;
  return outputs ? outputs->by_analysis[0].findings : std::vector<finding::Finding>();
}

// Two scopes of one lock must be swapped.
constexpr const char* kSwapped =
    "location label 1 file a.c line 3 column 5 function f\n"
    "A lock m\nA write x 1 @1\nA unlock m\nB lock m\nB write y 2 @3\nB unlock m\nB write x 2 @4\n";

TEST(Report, NamesInsteadOfNumbers) {
  const trace::Trace trace = text_trace(kSwapped);
  const std::vector<Finding> found =
      report::resolve(findings_of(trace, "maximal"), {.definitions = trace.definitions, .events = &trace.events});
  ASSERT_EQ(found.size(), 1u);
  const Finding& race = found[0];
  EXPECT_EQ(race.variable, "x");
  EXPECT_FALSE(race.is_object);
  EXPECT_EQ(race.first.thread, "A");
  EXPECT_EQ(race.first.place.name, "a.c:3:5");
  EXPECT_EQ(race.first.place.function, "f");
  ASSERT_EQ(race.first.locks.size(), 1u);
  EXPECT_EQ(race.first.locks[0].name, "m");
  EXPECT_EQ(race.second.thread, "B");
  EXPECT_EQ(race.second.place.label, "4");
  EXPECT_TRUE(race.second.locks.empty());
  ASSERT_TRUE(race.schedule && race.schedule->steps);
  EXPECT_FALSE(race.schedule->kept);
  EXPECT_EQ(race.schedule->steps->size(), race.schedule->length);
  std::uint64_t events = race.schedule->recorded_events;
  for (const report::Share& share : race.schedule->stretches) events += share.events;
  EXPECT_EQ(events, race.schedule->length);
}

TEST(Report, InlinedCallsAreFrames) {
  const trace::Trace trace = text_trace(
      "location label 1 file b.h line 3 column 5 function main "
      "inlined \"g::operator() (int), called from f (a.c:12:3), called from main (a.c:30:1)\"\n"
      "location label 2 file b.h line 4 column 5 function main "
      "inlined \"f2, called from f1 (a.c:102:7), ..., called from main (a.c:101:7)\"\n"
      "A write x 1 @1\nB write x 2 @2\n");
  report::Part part;
  part.findings = report::resolve(findings_of(trace, "hb"), {trace.definitions});
  ASSERT_EQ(part.findings.size(), 1u);
  const std::vector<report::Frame>& frames = part.findings[0].first.place.inlined;
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(frames[0].function, "g::operator() (int)");
  EXPECT_EQ(frames[0].file, "b.h");
  EXPECT_EQ(frames[0].line, 3u);
  EXPECT_EQ(frames[0].column, 5u);
  EXPECT_EQ(frames[1].function, "f");
  EXPECT_EQ(frames[1].file, "a.c");
  EXPECT_EQ(frames[1].line, 12u);
  EXPECT_EQ(frames[1].column, 3u);
  EXPECT_EQ(frames[2].function, "main");
  EXPECT_EQ(frames[2].line, 30u);
  const auto json = nlohmann::json::parse(report::json({1, {part}}));
  EXPECT_EQ(json["findings"][0]["first"]["location"]["inlined"][1],
            (nlohmann::json{{"function", "f"}, {"file", "a.c"}, {"line", 12}, {"column", 3}}));
  EXPECT_EQ(json["findings"][0]["second"]["location"]["inlined"][2], (nlohmann::json{{"function", "..."}}));
  const std::string shown = report::text(part, 1, false);
  EXPECT_NE(shown.find("at b.h:3:5 in g::operator() (int), no lock held\n"
                       "       called in f (a.c:12:3), inlined\n"
                       "       called in main (a.c:30:1), inlined\n"),
            std::string::npos)
      << shown;
  EXPECT_NE(shown.find("       called in f1 (a.c:102:7), ..., inlined\n"
                       "       called in main (a.c:101:7), inlined\n"),
            std::string::npos)
      << shown;
}

// What a hostile trace may say instead.
TEST(Report, TextsThatAreNoChains) {
  for (const char* text :
       {",", "(", ")", "f (", "f, called from ", ", called from , called from ", "f, called from )",
        "f, called from g (:)", "f, called from g (a:b:c)", "f, called from ...", ", ...", "f, called from , ..."}) {
    const trace::Trace trace = text_trace(fmt::format(
        "location label 1 file a.c line 3 function f inlined \"{}\"\nA write x 1 @1\nB write x 2 @2\n", text));
    report::Part part;
    part.findings = report::resolve(findings_of(trace, "hb"), {trace.definitions});
    ASSERT_EQ(part.findings.size(), 1u);
    EXPECT_FALSE(part.findings[0].first.place.inlined.empty());
    EXPECT_NE(report::text(part, 1, false).find("a.c:3"), std::string::npos);
  }
}

TEST(Report, SchedulesAreWrittenOutOnlyIfAskedFor) {
  const trace::Trace trace = text_trace(kSwapped);
  const auto findings = findings_of(trace, "maximal");
  const auto some =
      report::resolve(findings, {.definitions = trace.definitions, .events = &trace.events, .write_out = false});
  ASSERT_TRUE(some[0].schedule);
  EXPECT_FALSE(some[0].schedule->steps);
  const auto none = report::resolve(findings, {.definitions = trace.definitions});
  EXPECT_FALSE(none[0].schedule->steps) << "the events are not there";
}

TEST(Report, AWitnessStepByStep) {
  const trace::Trace trace = text_trace(kSwapped);
  const auto findings = findings_of(trace, "maximal");
  const auto witness =
      report::resolve_witness(findings.at(0), {.definitions = trace.definitions, .events = &trace.events}, true);
  ASSERT_TRUE(witness);
  EXPECT_EQ(witness->threads, (std::vector<std::string>{"A", "B"}));
  ASSERT_EQ(witness->steps.size(), 4u);  // B's scope, then A takes the lock
  EXPECT_EQ(witness->steps[0].kind, trace::EventKind::Lock);
  EXPECT_EQ(witness->steps[0].object, "m");
  EXPECT_EQ(witness->steps[0].thread, 1u);
  ASSERT_TRUE(witness->steps[1].stores);
  EXPECT_EQ(witness->steps[1].stores->recorded, 2u);
  EXPECT_FALSE(witness->steps[1].stores->now);
  EXPECT_EQ(witness->steps[3].thread, 0u);
  ASSERT_EQ(witness->next.size(), 2u);
  EXPECT_EQ(witness->places[witness->next[0].place].name, "a.c:3:5");
}

TEST(Report, GroupsOfReads) {
  const trace::Trace trace = text_trace(
      "A lock m\nA write x 1 @1\nA unlock m\nB lock m\nB write x 2 @2\nB unlock m\n"
      "C lock m\nC read x 2 @3\nC unlock m\n");
  const auto found = report::resolve(findings_of(trace, "nondet"), {trace.definitions, &trace.events});
  std::size_t reads = 0, groups = 0;
  for (const Finding& finding : found) {
    ASSERT_TRUE(finding.seen);
    EXPECT_EQ(finding.first.happens, !finding.seen->from_start);
    EXPECT_EQ(finding.second.happens, !finding.seen->at_end);
    if (finding.seen->at_end) continue;
    ++reads;
    if (!finding.same_read) ++groups;
    ASSERT_TRUE(finding.seen->recorded);
    EXPECT_EQ(finding.seen->recorded->place.label, "2");
  }
  EXPECT_EQ(reads, 2u) << "A's write, and what was there before";
  EXPECT_EQ(groups, 1u);
}

// Nothing but data: no trace is there to look into.
report::Part made_by_hand() {
  report::Part part;
  part.input = "a.rct";
  Finding race;
  race.analyses = {"hb", "shb"};
  race.variable = "byte 8 of 64";
  race.is_object = true;
  race.first.writes = true;
  race.first.thread = "one";
  race.first.place.name = "a.c:1:2";
  race.first.place.function = "f\033[2J";
  race.first.place.excerpt = "x = 1;\tx\033";
  race.first.locks = {{"m\n", true}};
  race.second = race.first;
  race.second.callers = {{race.first.place, true}};
  race.reason = "because";
  Finding dependent = race;
  dependent.kind = finding::Kind::DependentRace;
  dependent.depends_on = 0;
  race.dependents = {1};
  part.findings = {race, dependent};
  return part;
}

TEST(Report, TextOfData) {
  const std::string text = report::text(made_by_hand(), 1, false);
  EXPECT_NE(text.find("1. data race on byte 8 of 64 (observed; hb, shb)\n"
                      "   write        by one at a.c:1:2 in f\\x1b[2J, holding m\\x0a (shared)\n"
                      "       | x = 1;\tx\\x1b\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("       called at a.c:1:2 in f\\x1b[2J\n"), std::string::npos) << text;
  EXPECT_NE(text.find("   2. data race that hangs on another one"), std::string::npos) << text;
  EXPECT_NE(text.find("1 race, and 1 that hangs on one of them"), std::string::npos) << text;
  EXPECT_EQ(text.find('\033'), std::string::npos);
}

TEST(Report, JsonOfData) {
  report::Report report{2, {made_by_hand(), made_by_hand()}};
  report.parts[1].findings[0].seen_in = 1;
  const auto json = nlohmann::json::parse(report::json(report));
  EXPECT_EQ(json["runs"], 2);
  ASSERT_EQ(json["findings"].size(), 4u);
  EXPECT_EQ(json["findings"][1]["depends_on"], 0);
  EXPECT_EQ(json["findings"][3]["depends_on"], 2) << "counted over all parts";
  EXPECT_EQ(json["findings"][2]["seen_in"], 1);
  EXPECT_FALSE(json["findings"][0].contains("seen_in"));
  EXPECT_EQ(json["findings"][0]["first"]["location"]["function"], "f\033[2J") << "JSON has its own escapes";
  EXPECT_EQ(json["findings"][0]["object"], "byte 8 of 64");
}

}  // namespace
}  // namespace racecast
