// What only code that was not recorded keeps apart, and which function that is (analysis/unseen).
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "analysis/unseen/hidden_pairs.h"
#include "analysis/unseen/ties.h"
#include "program/litmus/litmus.h"
#include "source_dir.h"
#include "text_trace.h"
#include "trace/missing_mode.h"
#include "trace/recorder.h"

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
  std::size_t found = 0, possible = 0;
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
    for (const HiddenPair& pair : answer->pairs) {
      EXPECT_TRUE(without.contains(pair.places) && !with.contains(pair.places)) << entry.path();
      ++found;
    }
    for (const finding::Places& places : without) possible += with.contains(places) ? 0 : 1;
  }
  EXPECT_GT(found, 20u);
  EXPECT_GE(found * 10, possible * 9) << found << " of " << possible;
}

}  // namespace
}  // namespace racecast::analysis::unseen
