// What only code that was not recorded keeps apart, and which function that is (analysis/unseen).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>
#include <sstream>

#include "analysis/unseen/assumptions.h"
#include "analysis/unseen/hidden_pairs.h"
#include "analysis/unseen/ties.h"
#include "program/litmus/litmus.h"
#include "source_dir.h"
#include "text_trace.h"
#include "trace/missing_mode.h"
#include "trace/recorder.h"
#include "witness/judge.h"

namespace racecast::analysis::unseen {
namespace {

using Functions = std::vector<std::pair<std::string, std::size_t>>;

Hidden hidden(const std::string& events) {
  const trace::Trace trace = text_trace(events);
  const Result<Hidden> answer = hidden_by_missing_code(input_of(trace), {});
  EXPECT_TRUE(answer);
  return answer ? *answer : Hidden{};
}

// T0 writes x and calls f; T1 calls g, then reads x. Both reach `lock`.
constexpr const char* kThroughCalls =
    "symbol lock 0x1000 8\nreach 0x1000+8\n"
    "T0 write x 1 @1\nT0 mbegin %0 f @2\nT0 mend ?\nT1 mbegin %0 g @3\nT1 mend ?\nT1 read x 1 @4\n";

TEST(Hidden, NamesWhoLearned) {
  const Hidden answer = hidden(kThroughCalls);
  EXPECT_EQ(answer.pairs, 1u);
  EXPECT_TRUE(answer.all);
  EXPECT_EQ(answer.functions, (Functions{{"g", 1}}));
}

TEST(Hidden, NotWhereSomethingElseOrders) {
  EXPECT_EQ(
      hidden(
          "symbol lock 0x1000 8\nreach 0x1000+8\n"
          "T0 write x 1 @1\nT0 mbegin %0 f @2\nT0 mend ?\nT0 fork T1\nT1 mbegin %0 g @3\nT1 mend ?\nT1 read x 1 @4\n")
          .pairs,
      0u);
}

TEST(Hidden, NotWhatRacesAnyway) {
  EXPECT_EQ(hidden("reach 0x1000+8\nreach 0x2000+8\n"
                   "T0 write x 1 @1\nT0 mbegin %0 f @2\nT0 mend ?\nT1 mbegin %1 g @3\nT1 mend ?\nT1 read x 1 @4\n")
                .pairs,
            0u);
}

// T1 is told by its lock; T2, which held it before, has learned in h.
TEST(Hidden, NamesWhoToldIt) {
  const Hidden answer = hidden(
      "symbol lock 0x1000 8\nreach 0x1000+8\n"
      "T0 write x 1 @1\nT0 mbegin %0 f @2\nT0 mend ?\n"
      "T2 lock m @3\nT2 mbegin %0 h @4\nT2 mend ?\nT2 unlock m @5\n"
      "T1 lock m @6\nT1 read x 1 @7\nT1 unlock m @8\n");
  EXPECT_EQ(answer.functions, (Functions{{"h", 1}}));
}

// T1 has no missing code of its own: it reads what f reached.
TEST(Hidden, NamesTheSectionThatAnEventIsTiedTo) {
  const Hidden answer = hidden(
      "symbol flag 0x1000 8\nreach 0x1000+8\n"
      "T0 write x 1 @1\nT0 mbegin %0 f @2\nT0 mend ?\nT1 aread flag 1 relaxed @3\nT1 read x 1 @4\n");
  EXPECT_EQ(answer.functions, (Functions{{"f", 1}}));
}

// Order that the recorder knows is no code that was not recorded.
TEST(Hidden, NotWhatTheRecorderFoundOut) {
  EXPECT_EQ(hidden("symbol lock 0x1000 8\nreach 0x1000+8\n"
                   "T0 write x 1 @1\nT0 mbegin %0 \"memory that is mapped twice\" @2\nT0 mend ?\n"
                   "T1 mbegin %0 \"memory that is mapped twice\" @3\nT1 mend ?\nT1 read x 1 @4\n")
                .pairs,
            0u);
}

// What the only race that an analysis finds takes for granted: "f T0, g T1", or nothing.
std::string assumed(const std::string& events, const std::string& analysis) {
  const trace::Trace trace = text_trace(events);
  const std::vector<std::string> names{analysis};
  Result<Outputs> outputs = run(input_of(trace), names);
  EXPECT_TRUE(outputs);
  if (!outputs) return "no answer";
  std::vector<finding::Finding>& found = outputs->by_analysis.front().findings;
  EXPECT_EQ(found.size(), 1u);
  if (found.size() != 1) return "another number of races";
  EXPECT_TRUE(find_assumptions(input_of(trace), found, {0}));
  if (!found.front().assumes) return "";
  const auto& [first, second] = *found.front().assumes;
  return fmt::format("{} T{}, {} T{}", first.function, index(first.thread), second.function, index(second.thread));
}

const std::string kTwoGates = "symbol gate 0x1000 8\nsymbol other 0x2000 8\nreach 0x1000+8\nreach 0x2000+8\n";

TEST(Assumptions, OfAnObservedRace) {
  EXPECT_EQ(assumed(kTwoGates +
                        "T0 write x 1 @1\nT0 mbegin %0 f @2\nT0 mend ?\nT1 mbegin %1 g @3\nT1 mend ?\nT1 read x 1 @4\n",
                    "hb"),
            "f T0, g T1");
  // The other way round the calls could not order the two.
  EXPECT_EQ(assumed(kTwoGates +
                        "T0 mbegin %0 f @2\nT0 mend ?\nT0 write x 1 @1\nT1 mbegin %1 g @3\nT1 mend ?\nT1 read x 1 @4\n",
                    "hb"),
            "");
  EXPECT_EQ(assumed(kTwoGates +
                        "T0 write x 1 @1\nT0 mbegin %0 f @2\nT0 mend ?\nT1 read x 1 @4\nT1 mbegin %1 g @3\nT1 mend ?\n",
                    "hb"),
            "");
  EXPECT_EQ(assumed(kTwoGates +
                        "T1 mbegin %1 g @3\nT1 mend ?\nT0 write x 1 @1\nT0 mbegin %0 f @2\nT0 mend ?\nT1 read x 1 @4\n",
                    "hb"),
            "");
}

// T1 is told of the write and calls; who reads is told by T2, which called.
TEST(Assumptions, OfCallsInOtherThreads) {
  EXPECT_EQ(assumed(kTwoGates + "T0 write x 1 @1\nT0 lock m @2\nT0 unlock m @2\n"
                                "T1 lock m @3\nT1 unlock m @3\nT1 mbegin %0 f @4\nT1 mend ?\n"
                                "T2 mbegin %1 g @5\nT2 mend ?\nT2 lock n @6\nT2 unlock n @6\n"
                                "T3 lock n @7\nT3 unlock n @7\nT3 read x 1 @8\n",
                    "hb"),
            "f T1, g T2");
  // Nobody told T1.
  EXPECT_EQ(assumed(kTwoGates + "T0 write x 1 @1\nT1 mbegin %0 f @4\nT1 mend ?\n"
                                "T2 mbegin %1 g @5\nT2 mend ?\nT2 lock n @6\nT2 unlock n @6\n"
                                "T3 lock n @7\nT3 unlock n @7\nT3 read x 1 @8\n",
                    "hb"),
            "");
}

// The lock orders them in the recorded run; another schedule does without the first scope.
TEST(Assumptions, OfAPredictedRace) {
  const std::string locked = "T0 lock m @2\nT0 unlock m @2\n", again = "T1 lock m @5\nT1 unlock m @5\n";
  for (const char* analysis : {"syncp", "maximal"}) {
    EXPECT_EQ(assumed(kTwoGates + "T0 write x 1 @1\n" + locked + "T0 mbegin %0 f @3\nT0 mend ?\n" +
                          "T1 mbegin %1 g @4\nT1 mend ?\n" + again + "T1 read x 1 @6\n",
                      analysis),
              "f T0, g T1")
        << analysis;
    EXPECT_EQ(assumed(kTwoGates + "T1 mbegin %1 g @4\nT1 mend ?\nT0 write x 1 @1\n" + locked +
                          "T0 mbegin %0 f @3\nT0 mend ?\n" + again + "T1 read x 1 @6\n",
                      analysis),
              "")
        << analysis;
    // A third thread's call is not performed by the schedule, and could be.
    EXPECT_EQ(assumed(kTwoGates + "T2 mbegin %0 h @3\nT2 mend ?\nT1 mbegin %1 g @4\nT1 mend ?\nT0 write x 1 @1\n" +
                          locked + again + "T1 read x 1 @6\n",
                      analysis),
              "")
        << analysis;
  }
}

// Two calls that the schedule swaps.
TEST(Assumptions, OfWhatIsSwapped) {
  EXPECT_EQ(assumed(kTwoGates + "T0 lock m @1\nT0 mbegin %0 f @2\nT0 mend ?\nT0 write x 1 @3\nT0 unlock m @4\n"
                                "T1 lock m @5\nT1 mbegin %1 g @6\nT1 mend ?\nT1 unlock m @7\nT1 write x 2 @8\n",
                    "maximal"),
            "f T0, g T1");
}

TEST(Assumptions, JudgesNameTheFunction) {
  const trace::Trace trace = text_trace(kThroughCalls);
  const witness::Judgement judgement = witness::Judge(trace).reordering({{EventNo{3}, {}}});
  EXPECT_EQ(judgement.rule, "missing-order");
  EXPECT_EQ(judgement.detail,
            "event 3 (of g, not recorded) is tied to event 2 (of f, not recorded), which is not there");
}

std::set<finding::Places> by_hb(const trace::Trace& trace, trace::MissingMode mode) {
  Input input = input_of(trace);
  input.open = trace::with_missing_mode(input.open, mode);
  const std::vector<std::string> names{"hb"};
  const Result<Outputs> outputs = run(input, names);
  EXPECT_TRUE(outputs);
  std::set<finding::Places> places;
  for (const finding::Finding& finding : outputs->by_analysis.front().findings)
    places.insert(finding::places_of(finding, trace.definitions));
  return places;
}

// On every litmus file: nothing but what hb finds without missing code and not with it; and, where no granule has more
// than a last read and a last write to remember, all of that.
TEST(Hidden, IsWhatHbFindsWithoutMissingCode) {
  std::size_t found = 0, possible = 0, assuming = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(RACECAST_SOURCE_DIR) + "/tests/litmus")) {
    if (entry.path().extension() != ".litmus") continue;
    std::ifstream in(entry.path());
    std::ostringstream text;
    text << in.rdbuf();
    if (text.str().find("missing") == std::string::npos) continue;
    const Result<program::LitmusFile> file = program::parse_litmus(text.str(), entry.path().filename().string());
    ASSERT_TRUE(file) << entry.path();
    const Result<trace::Trace> trace = trace::record(*file);
    if (!trace) continue;
    const std::set<finding::Places> with = by_hb(*trace, trace::MissingMode::Reach);
    const std::set<finding::Places> without = by_hb(*trace, trace::MissingMode::Ignore);
    const Result<HiddenPairs> answer = hidden_pairs(input_of(*trace), {});
    ASSERT_TRUE(answer);
    // The same with less work, where what races is known.
    Result<Outputs> known = run(input_of(*trace), std::vector<std::string>{"hb"});
    ASSERT_TRUE(known);
    const Result<HiddenPairs> same = hidden_pairs(input_of(*trace), known->by_analysis.front().findings, true);
    ASSERT_TRUE(same);
    EXPECT_TRUE(std::ranges::equal(answer->pairs, same->pairs, {}, &HiddenPair::places, &HiddenPair::places));
    for (const HiddenPair& pair : answer->pairs) {
      EXPECT_TRUE(without.contains(pair.places) && !with.contains(pair.places)) << entry.path();
      ++found;
    }
    // What hangs on missing code is not there if that orders everything.
    const std::set<finding::Places> barrier = by_hb(*trace, trace::MissingMode::Barrier);
    const std::vector<std::string> hb{"hb"};
    Result<Outputs> outputs = run(input_of(*trace), hb);
    ASSERT_TRUE(outputs);
    std::vector<finding::Finding>& races = outputs->by_analysis.front().findings;
    std::vector<std::size_t> all(races.size());
    std::iota(all.begin(), all.end(), 0);
    ASSERT_TRUE(find_assumptions(input_of(*trace), races, all));
    for (const finding::Finding& race : races) {
      if (!race.assumes) continue;
      EXPECT_FALSE(barrier.contains(finding::places_of(race, trace->definitions))) << entry.path();
      ++assuming;
    }
    for (const finding::Places& places : without) possible += with.contains(places) ? 0 : 1;
  }
  EXPECT_GT(found, 20u);
  EXPECT_GT(assuming, 5u);
  EXPECT_GE(found * 10, possible * 9) << found << " of " << possible;
}

}  // namespace
}  // namespace racecast::analysis::unseen
