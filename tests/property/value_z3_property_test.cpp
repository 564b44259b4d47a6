// `value` against Z3 (value_z3.h): on random programs, the predictor that relaxes values calls a pair of accesses a
// race exactly if there is a schedule by the formula. Whoever is wrong, the message says what the oracle has to say.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <optional>

#include "analysis/maximal/decide.h"
#include "program/litmus/litmus.h"
#include "property/laws.h"
#include "property/random_litmus.h"
#include "property/relaxed_oracle.h"
#include "property/value_z3.h"
#include "trace/recorder.h"

namespace racecast::property {
namespace {

using analysis::predict::Budget;
using analysis::predict::Predictor;
using analysis::predict::Verdict;

constexpr std::uint64_t kMaxSteps = 150;
constexpr unsigned kEffort =
    10'000'000;  // for a pair, as Z3 counts its steps: a clock would ask how busy the machine is
constexpr int kPrograms = 400;

struct Tally {
  std::uint64_t programs = 0;
  std::uint64_t pairs = 0, races = 0, beyond_maximal = 0;  // compared
  std::uint64_t unknown = 0;                               // pairs that took Z3 more than that
  std::map<std::string, std::uint64_t> skipped;            // programs, by what was not encoded
};

std::string what_the_oracle_says(const oracle::Recording& recording, EventNo a, EventNo b) {
  const oracle::RelaxedRaces races = oracle::value_races(recording);
  if (races.events.contains({a, b})) return "the oracle: a race";
  return races.complete ? "the oracle: no race" : "the oracle: found none, but did not see all";
}

std::string agrees_with_z3(const oracle::Recording& recording, Tally& tally) {
  const trace::Trace& trace = recording.trace;
  const Result<model::SymbolicTrace> symbols = model::SymbolicTrace::make(trace);
  if (!symbols) return symbols.error().message;
  std::vector<std::pair<EventNo, EventNo>> pairs;
  for (std::size_t a = 0; a < trace.events.size(); ++a)
    for (std::size_t b = a + 1; b < trace.events.size(); ++b)
      if (trace::conflict(trace.events[a], trace.events[b])) pairs.emplace_back(EventNo{a}, EventNo{b});
  if (pairs.empty()) return "";
  const Z3Answers answers = value_races_by_z3(trace, *symbols, pairs, kEffort);
  if (!answers.error.empty()) return "Z3: " + answers.error;
  if (!answers.not_encoded.empty()) {
    ++tally.skipped[answers.not_encoded];
    return "";
  }
  ++tally.programs;
  const Predictor relaxed(trace, 0, &*symbols), plain(trace);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const auto [a, b] = pairs[k];
    if (answers.races[k] == smt::Answer::Unknown) {
      ++tally.unknown;
      continue;
    }
    ++tally.pairs;
    const bool race = answers.races[k] == smt::Answer::Sat;
    const Verdict verdict = relaxed.decide(a, b, Budget{}).verdict;
    if (verdict != (race ? Verdict::Race : Verdict::NoRace))
      return fmt::format(
          "events {} and {}: {} by Z3, the predictor says {}; {}", index(a), index(b), race ? "a race" : "no race",
          verdict == Verdict::Unknown ? "that it does not know" : "otherwise", what_the_oracle_says(recording, a, b));
    if (!race) continue;
    ++tally.races;
    if (plain.decide(a, b, Budget{}).verdict != Verdict::Race) ++tally.beyond_maximal;
  }
  return "";
}

// Nullopt: it is no program, or does not run.
std::optional<oracle::Recording> recorded(const std::string& text, std::uint64_t seed) {
  const Result<program::LitmusFile> file = program::parse_litmus(text, "random.litmus");
  if (!file) return std::nullopt;
  Result<oracle::Recording> recording = oracle::record(*file, {.schedule = {}, .seed = seed, .limits = {kMaxSteps}});
  if (!recording) return std::nullopt;
  return *std::move(recording);
}

void agree_on_random_programs(int statements) {
  const Flavour flavour{.tries = false, .missing = false, .faults = false, .values = true, .statements = statements};
  Tally tally;
  const auto count = static_cast<std::uint64_t>(scaled(kPrograms));
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    const RandomProgram program = random_program(seed, flavour);
    const std::optional<oracle::Recording> recording = recorded(text_of(program), seed);
    ASSERT_TRUE(recording) << "seed " << seed << "\n" << text_of(program);
    const std::string complaint = agrees_with_z3(*recording, tally);
    if (complaint.empty()) continue;
    Tally unused;
    const RandomProgram small = shrink(program, [&](const std::string& text) {
      const std::optional<oracle::Recording> smaller = recorded(text, seed);
      return smaller && !agrees_with_z3(*smaller, unused).empty();
    });
    const std::optional<oracle::Recording> smallest = recorded(text_of(small), seed);
    FAIL() << "seed " << seed << ": " << complaint << "\n\n--- the program\n"
           << text_of(program) << "\n--- shrunk: " << agrees_with_z3(*smallest, unused) << "\n"
           << text_of(small) << "\n--- its trace\n"
           << describe(smallest->trace);
  }
  std::printf("%llu programs, %llu pairs compared, %llu races, %llu of them not maximal, %llu not answered\n",
              static_cast<unsigned long long>(tally.programs), static_cast<unsigned long long>(tally.pairs),
              static_cast<unsigned long long>(tally.races), static_cast<unsigned long long>(tally.beyond_maximal),
              static_cast<unsigned long long>(tally.unknown));
  for (const auto& [what, programs] : tally.skipped)
    std::printf("%llu programs skipped: %s\n", static_cast<unsigned long long>(programs), what.c_str());
  EXPECT_LE(tally.unknown * 20, tally.pairs);
  if (count < kPrograms) return;
  EXPECT_GT(tally.pairs, 500U);
  EXPECT_LT(tally.races, tally.pairs);
  EXPECT_GT(tally.beyond_maximal, 5U);
}

TEST(ValueZ3, AgreesOnSmallPrograms) {
  agree_on_random_programs(12);
}
TEST(ValueZ3, AgreesOnLargerPrograms) {
  agree_on_random_programs(20);
}

}  // namespace
}  // namespace racecast::property
