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
  EXPECT_EQ(race.memory.name, "x");
  EXPECT_FALSE(race.memory.allocated);
  EXPECT_EQ(race.pair.first.thread, "A");
  EXPECT_EQ(race.pair.first.place.name, "a.c:3:5");
  EXPECT_EQ(race.pair.first.place.function, "f");
  ASSERT_EQ(race.pair.first.locks.size(), 1u);
  EXPECT_EQ(race.pair.first.locks[0].name, "m");
  EXPECT_EQ(race.pair.second.thread, "B");
  EXPECT_EQ(race.pair.second.place.label, "4");
  EXPECT_TRUE(race.pair.second.locks.empty());
  ASSERT_TRUE(race.pair.schedule && race.pair.schedule->steps);
  EXPECT_FALSE(race.pair.schedule->kept);
  EXPECT_EQ(race.pair.schedule->steps->size(), race.pair.schedule->length);
  std::uint64_t events = race.pair.schedule->recorded_events;
  for (const report::Share& share : race.pair.schedule->stretches) events += share.events;
  EXPECT_EQ(events, race.pair.schedule->length);
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
  const std::vector<report::Frame>& frames = part.findings[0].pair.first.place.inlined;
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(frames[0].function, "f2");
  EXPECT_EQ(frames[0].file, "b.h");
  EXPECT_EQ(frames[0].line, 3u);
  EXPECT_EQ(frames[0].column, 5u);
  EXPECT_EQ(frames[1].function, "f1");
  EXPECT_EQ(frames[1].file, "/usr/include/a.h");
  EXPECT_TRUE(frames[1].library);
  EXPECT_EQ(frames[1].line, 102u);
  EXPECT_EQ(frames[1].column, 7u);
  EXPECT_EQ(frames[2].function, "main");
  EXPECT_EQ(frames[2].line, 101u);
  const auto json = nlohmann::json::parse(report::json({1, {part}}));
  EXPECT_EQ(json["findings"][0]["first"]["location"]["inlined"][1],
            (nlohmann::json{
                {"function", "f1"}, {"library", true}, {"file", "/usr/include/a.h"}, {"line", 102}, {"column", 7}}));
  const std::string shown = report::text(part, {.verbose = true});
  EXPECT_NE(shown.find("at b.h:3:5 in f2, no lock held\n"
                       "       called in f1 (/usr/include/a.h:102:7), inlined\n"
                       "       called in main (a.c:101:7), inlined\n"),
            std::string::npos)
      << shown;
  const std::string folded = report::text(part, {});
  EXPECT_NE(folded.find("at b.h:3:5 in f2, no lock held\n"
                        "       called in main (a.c:101:7), inlined\n"),
            std::string::npos)
      << folded;
}

TEST(Report, OfDeepChainsTheMiddleIsCut) {
  const std::vector<report::Frame> whole = race_in(inlined_program(64, "f")).findings.at(0).pair.first.place.inlined;
  ASSERT_EQ(whole.size(), 65u);
  for (const report::Frame& frame : whole) EXPECT_NE(frame.function, "...");
  const report::Part part = race_in(inlined_program(65, "f"));
  const std::vector<report::Frame>& frames = part.findings.at(0).pair.first.place.inlined;
  ASSERT_EQ(frames.size(), 66u);
  EXPECT_EQ(frames[0].function, "f65");
  EXPECT_EQ(frames[32].function, "f33");
  EXPECT_EQ(frames[33].function, "...");
  EXPECT_EQ(frames[34].function, "f31");
  EXPECT_EQ(frames[65].function, "main");
  EXPECT_EQ(nlohmann::json::parse(report::json({1, {part}}))["findings"][0]["second"]["location"]["inlined"][33],
            (nlohmann::json{{"function", "..."}}));
  const std::string shown = report::text(part, {.verbose = true});
  EXPECT_NE(shown.find("       called in f33 (/usr/include/a.h:134:7), ..., inlined\n"
                       "       called in f31 (/usr/include/a.h:132:7), inlined\n"),
            std::string::npos)
      << shown;
}

TEST(Report, NamesOfFramesAreEscaped) {
  const std::string shown = report::text(race_in(inlined_program(2, "f\033[2J\nFORGED")), {.verbose = true});
  EXPECT_EQ(shown.find('\033'), std::string::npos);
  EXPECT_EQ(shown.find("\nFORGED"), std::string::npos);
  EXPECT_NE(shown.find("called in f\\x1b[2J"), std::string::npos) << shown;
}

TEST(Report, SchedulesAreWrittenOutOnlyIfAskedFor) {
  const trace::Trace trace = text_trace(kSwapped);
  const auto findings = findings_of(trace, "maximal");
  const auto some =
      report::resolve(findings, {.definitions = trace.definitions, .events = &trace.events, .write_out = false});
  ASSERT_TRUE(some[0].pair.schedule);
  EXPECT_FALSE(some[0].pair.schedule->steps);
  const auto none = report::resolve(findings, {.definitions = trace.definitions});
  EXPECT_FALSE(none[0].pair.schedule->steps) << "the events are not there";
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
  const auto found =
      report::resolve(findings_of(trace, "nondet"), {.definitions = trace.definitions, .events = &trace.events});
  std::size_t reads = 0, groups = 0;
  for (const Finding& finding : found) {
    ASSERT_TRUE(finding.seen);
    EXPECT_EQ(finding.pair.first.happens, !finding.seen->from_start);
    EXPECT_EQ(finding.pair.second.happens, !finding.seen->at_end);
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
  race.memory.name = "byte 8 of 64";
  race.pair.first.writes = true;
  race.pair.first.thread = "one";
  race.pair.first.place.name = "a.c:1:2";
  race.pair.first.place.function = "f\033[2J";
  race.pair.first.place.excerpt = "x = 1;\tx\033";
  race.pair.first.locks = {{"m\n", true}};
  race.pair.first.user.excerpt = race.pair.first.place.excerpt;
  race.pair.second = race.pair.first;
  race.pair.second.callers = {{race.pair.first.place, true}};
  race.pair.reason = "because";
  Finding dependent = race;
  dependent.kind = finding::Kind::DependentRace;
  dependent.depends_on = 0;
  race.dependents = {1};
  part.findings = {race, dependent};
  return part;
}

TEST(Report, TextOfData) {
  const std::string text = report::text(made_by_hand(), {.verbose = true});
  EXPECT_NE(text.find("1. data race on byte 8 of 64 (observed; hb, shb)\n"
                      "   write        by one at a.c:1:2 in f\\x1b[2J, holding m\\x0a (shared)\n"
                      "       | x = 1;\tx\\x1b\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("       called at a.c:1:2 in f\\x1b[2J\n"), std::string::npos) << text;
  EXPECT_NE(text.find("   2. data race that hangs on another one"), std::string::npos) << text;
  EXPECT_NE(text.find("1 race, and 1 that hangs on one of them"), std::string::npos) << text;
  EXPECT_EQ(text.find('\033'), std::string::npos);
  const std::string folded = report::text(made_by_hand(), {});
  EXPECT_EQ(folded.find("2. data race"), std::string::npos) << folded;
  EXPECT_NE(folded.find("   1 more race hangs on it (see --verbose)\n"), std::string::npos) << folded;
  EXPECT_NE(folded.find("1 race, and 1 that hangs on one of them"), std::string::npos) << folded;
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
  EXPECT_EQ(json["findings"][0]["memory"]["name"], "byte 8 of 64");
}

}  // namespace
}  // namespace racecast
