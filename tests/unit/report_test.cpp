// A report is data: what is resolved from findings, and what is rendered of it without any trace.
#include "report/report.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analysis/analysis.h"
#include "program/program.h"
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

// A compiled program whose two accesses, at b.h:3:5 and b.h:4:5, are `depth` inlined calls deep: f1 is called in main
// at a.c:101:7, f2 in f1 at /usr/include/a.h:102:7, and so on.
std::shared_ptr<program::Program> inlined_program(std::uint32_t depth, const std::string& name) {
  auto p = std::make_shared<program::Program>();
  p->frames.push_back({p->intern("main"), {}});
  for (std::uint32_t k = 1; k <= depth; ++k) {
    const program::StringId file = p->intern(k == 1 ? "a.c" : "/usr/include/a.h");
    p->frames.push_back({p->intern(name + std::to_string(k)), {file, 100 + k, 7, program::FrameId{k - 1}}});
  }
  program::Function& f = p->functions.emplace_back();
  f.name = p->intern("main");
  program::Block& block = f.blocks.emplace_back();
  for (std::uint32_t line = 3; line <= 4; ++line) {
    program::Instruction store;
    store.op = program::Op::Store;
    store.type = program::kI64;
    store.operands = {program::Operand::constant(0x1000), program::Operand::constant(line)};
    store.position = {p->intern("b.h"), line, 5, program::FrameId{depth}};
    block.instructions.push_back(store);
  }
  block.instructions.emplace_back().op = program::Op::Return;
  number_instructions(*p);
  EXPECT_EQ(broken_rule(*p), "");
  return p;
}

report::Part race_in(const std::shared_ptr<program::Program>& program) {
  trace::Trace trace = text_trace(
      "location file b.h line 3 column 5 function main\nlocation file b.h line 4 column 5 function main\n"
      "A write x 3 @%0\nB write x 4 @%1\n");
  const auto findings = findings_of(trace, "hb");
  trace.definitions.program = program;
  report::Part part;
  part.findings = report::resolve(findings, {trace.definitions});
  return part;
}

TEST(Report, InlinedCallsAreFrames) {
  const report::Part part = race_in(inlined_program(2, "f"));
  ASSERT_EQ(part.findings.size(), 1u);
  const std::vector<report::Frame>& frames = part.findings[0].first.place.inlined;
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(frames[0].function, "f2");
  EXPECT_EQ(frames[0].file, "b.h");
  EXPECT_EQ(frames[0].line, 3u);
  EXPECT_EQ(frames[0].column, 5u);
  EXPECT_EQ(frames[1].function, "f1");
  EXPECT_EQ(frames[1].file, "a.h");
  EXPECT_EQ(frames[1].line, 102u);
  EXPECT_EQ(frames[1].column, 7u);
  EXPECT_EQ(frames[2].function, "main");
  EXPECT_EQ(frames[2].line, 101u);
  const auto json = nlohmann::json::parse(report::json({1, {part}}));
  EXPECT_EQ(json["findings"][0]["first"]["location"]["inlined"][1],
            (nlohmann::json{{"function", "f1"}, {"file", "a.h"}, {"line", 102}, {"column", 7}}));
  const std::string shown = report::text(part, 1, false);
  EXPECT_NE(shown.find("at b.h:3:5 in f2, no lock held\n"
                       "       called in f1 (a.h:102:7), inlined\n"
                       "       called in main (a.c:101:7), inlined\n"),
            std::string::npos)
      << shown;
}

TEST(Report, OfDeepChainsTheMiddleIsCut) {
  const std::vector<report::Frame> whole = race_in(inlined_program(8, "f")).findings.at(0).first.place.inlined;
  ASSERT_EQ(whole.size(), 9u);
  for (const report::Frame& frame : whole) EXPECT_NE(frame.function, "...");
  const report::Part part = race_in(inlined_program(9, "f"));
  const std::vector<report::Frame>& frames = part.findings.at(0).first.place.inlined;
  ASSERT_EQ(frames.size(), 10u);
  EXPECT_EQ(frames[0].function, "f9");
  EXPECT_EQ(frames[4].function, "f5");
  EXPECT_EQ(frames[5].function, "...");
  EXPECT_EQ(frames[6].function, "f3");
  EXPECT_EQ(frames[9].function, "main");
  EXPECT_EQ(nlohmann::json::parse(report::json({1, {part}}))["findings"][0]["second"]["location"]["inlined"][5],
            (nlohmann::json{{"function", "..."}}));
  const std::string shown = report::text(part, 1, false);
  EXPECT_NE(shown.find("       called in f5 (a.h:106:7), ..., inlined\n"
                       "       called in f3 (a.h:104:7), inlined\n"),
            std::string::npos)
      << shown;
}

TEST(Report, NamesOfFramesAreEscaped) {
  const std::string shown = report::text(race_in(inlined_program(2, "f\033[2J\nFORGED")), 1, false);
  EXPECT_EQ(shown.find('\033'), std::string::npos);
  EXPECT_EQ(shown.find("\nFORGED"), std::string::npos);
  EXPECT_NE(shown.find("called in f\\x1b[2J"), std::string::npos) << shown;
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
