// Random litmus programs through the whole chain: text, parser, interpreter, recorder, analyses, judge, explorer. A
// failure prints its seed and the program, shrunk.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <functional>

#include "program/litmus/litmus.h"
#include "property/laws.h"
#include "property/laws_analyses.h"
#include "property/laws_maximal.h"
#include "property/laws_orders.h"
#include "property/laws_path.h"
#include "property/laws_value.h"
#include "property/oracle.h"
#include "property/random_litmus.h"
#include "trace/recorder.h"
#include "trace/validator.h"

namespace racecast::property {
namespace {

constexpr std::uint64_t kMaxSteps = 150;
constexpr oracle::Limits kOracleLimits{.max_states = 20'000};

struct Recorded {
  program::LitmusFile file;
  trace::Trace trace;
  trace::RecordOptions options;  // with which it was recorded
};
// A law over a program and one run of it; the random numbers are the same for the same seed.
using Law = std::function<std::string(const Recorded&, Random&)>;

std::string apply(const Law& law, const std::string& text, std::uint64_t seed, bool* broken = nullptr) {
  if (broken != nullptr) *broken = true;
  Result<program::LitmusFile> file = program::parse_litmus(text, "random.litmus");
  if (!file) return "it does not parse: " + file.error().message;
  const trace::RecordOptions options{.schedule = {}, .seed = seed, .limits = {kMaxSteps}};
  Result<trace::Trace> trace = trace::record(*file, options);
  if (!trace) return "it does not run: " + trace.error().message;
  if (broken != nullptr) *broken = false;
  Random random(seed);
  return law({*std::move(file), *std::move(trace), options}, random);
}

void for_random_programs(const char* name, int count, const Flavour& flavour, const Law& law) {
  int statements = 0, do_not_run = 0;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(count); ++seed) {
    const RandomProgram program = random_program(seed, flavour);
    statements += statements_in(program);
    bool does_not_run = false;
    const std::string complaint = apply(law, text_of(program), seed, &does_not_run);
    if (complaint.empty()) continue;
    if (does_not_run && flavour.outcomes) {
      ASSERT_TRUE(program::parse_litmus(text_of(program), "random.litmus").has_value()) << complaint;
      ++do_not_run;
      continue;
    }
    const RandomProgram small = shrink(program, [&](const std::string& text) {
      bool broken = false;
      return !apply(law, text, seed, &broken).empty() && !broken;
    });
    bool broken = false;
    const std::string small_complaint = apply(law, text_of(small), seed, &broken);
    std::string events;
    apply([&](const Recorded& run, Random&) { return events = describe(run.trace); }, text_of(small), seed);
    FAIL() << name << ", seed " << seed << ": " << complaint << "\n\n--- the program\n"
           << text_of(program) << "\n--- shrunk: " << small_complaint << "\n"
           << text_of(small) << "\n--- its trace\n"
           << events;
  }
  std::printf("%d programs, %d statements\n", count, statements);
  EXPECT_LE(do_not_run * 3, count);
}

TEST(RandomLitmus, TracesValidate) {
  for_random_programs("validate", scaled(3000), {}, [](const Recorded& run, Random&) -> std::string {
    const Status valid = trace::validate(run.trace);
    return valid ? "" : valid.error().message;
  });
}

TEST(RandomLitmus, ProgramFormsAgree) {
  for_random_programs("program forms", scaled(3000), {},
                      [](const Recorded& run, Random&) { return program_forms_agree(run.file); });
}

TEST(RandomLitmus, TraceFormsAgree) {
  const std::string scratch =
      (std::filesystem::temp_directory_path() / fmt::format("racecast-{}.rct", ::getpid())).string();
  for_random_programs("trace forms", scaled(1000), {},
                      [&](const Recorded& run, Random&) { return trace_forms_agree(run.trace, scratch); });
  std::filesystem::remove(scratch);
}

TEST(RandomLitmus, TheoremsOfTheOrders) {
  for_random_programs("theorems", scaled(3000), {}, [](const Recorded& run, Random&) {
    const std::string complaint = inclusions_hold(run.trace);
    if (!complaint.empty()) return complaint;
    return syncp_is_between(run.trace, oracle::races(run.trace, kOracleLimits), kOracleLimits);
  });
}

TEST(RandomLitmus, AnalysesAreExact) {
  for_random_programs("exact", scaled(5000), {},
                      [](const Recorded& run, Random&) { return all_are_exact(run.trace, kOracleLimits); });
}

TEST(RandomLitmus, MaximalIsMaximal) {
  for_random_programs("maximal", scaled(4000), {},
                      [](const Recorded& run, Random&) { return decides_as_the_oracle(run.trace, {}); });
}

std::string value_is_exact(const Recorded& run, const Way& way, ValueCounts& counts) {
  const Result<oracle::Recording> recording = oracle::record(run.file, run.options);
  if (!recording) return recording.error().message;
  return relaxes_as_the_oracle(*recording, way, &counts);
}
void print(const ValueCounts& counts) {
  std::printf("%llu explored, %llu races, %llu of them not maximal, %llu with other outcomes\n",
              static_cast<unsigned long long>(counts.programs), static_cast<unsigned long long>(counts.races),
              static_cast<unsigned long long>(counts.beyond_maximal), static_cast<unsigned long long>(counts.ended));
}
TEST(RandomLitmus, ValueIsExact) {
  ValueCounts counts;
  for_random_programs("value", scaled(6000), {.values = true},
                      [&](const Recorded& run, Random&) { return value_is_exact(run, {}, counts); });
  print(counts);
  EXPECT_GT(counts.beyond_maximal, 0U);
}
TEST(RandomLitmus, ValueIsExactWhereOutcomesChange) {
  ValueCounts counts;
  for_random_programs("value", scaled(6000), {.outcomes = true},
                      [&](const Recorded& run, Random&) { return value_is_exact(run, {}, counts); });
  print(counts);
  EXPECT_GE(counts.ended, static_cast<unsigned>(scaled(1000)));
}
TEST(RandomLitmus, ValueIsExactWithState) {
  ValueCounts counts;
  for (const Way& way : {Way{}, Way{.budget = {.least = 1'000'000}}, Way{.budget = {.least = 0}}})
    for_random_programs("value", scaled(2000), {.missing = false, .values = true, .state = true},
                        [&](const Recorded& run, Random&) { return value_is_exact(run, way, counts); });
  print(counts);
  EXPECT_GT(counts.beyond_maximal, 0U);
}
void path_is_exact(int count, const Flavour& flavour) {
  WalkCounts counts;
  for_random_programs("path", count, flavour, [&](const Recorded& run, Random&) -> std::string {
    const Result<oracle::Recording> recording = oracle::record(run.file, run.options);
    if (!recording) return recording.error().message;
    return turns_as_the_oracle(*recording, &counts);
  });
  std::printf("%llu explored, %llu races, %llu of them not by value, %llu programs not looked at in full\n",
              static_cast<unsigned long long>(counts.programs), static_cast<unsigned long long>(counts.races),
              static_cast<unsigned long long>(counts.beyond_value), static_cast<unsigned long long>(counts.limited));
  EXPECT_GT(counts.beyond_value, 0U);
  EXPECT_LT(counts.limited * 10, counts.programs);
}
TEST(RandomLitmus, PathIsExact) {
  path_is_exact(scaled(6000), {.values = true});
}
TEST(RandomLitmus, PathIsExactWhereOutcomesChange) {
  path_is_exact(scaled(6000), {.outcomes = true});
}
TEST(RandomLitmus, PathIsExactWithState) {
  path_is_exact(scaled(3000), {.missing = false, .values = true, .state = true});
}
// Each way of keeping events alone; and the other solver.
TEST(RandomLitmus, ValueIsExactWithTheLeast) {
  ValueCounts counts;
  for_random_programs("value", scaled(1500), {.values = true, .outcomes = true}, [&](const Recorded& run, Random&) {
    return value_is_exact(run, {.budget = {.least = 1'000'000}}, counts);
  });
  print(counts);
}
TEST(RandomLitmus, ValueIsExactNearToTheRun) {
  ValueCounts counts;
  for_random_programs("value", scaled(1500), {.values = true, .outcomes = true}, [&](const Recorded& run, Random&) {
    return value_is_exact(run, {.budget = {.least = 0}}, counts);
  });
  print(counts);
}
TEST(RandomLitmus, ValueIsExactByTheOtherSolver) {
  ValueCounts counts;
  for_random_programs("value", scaled(100), {.values = true, .outcomes = true}, [&](const Recorded& run, Random&) {
    return value_is_exact(run, {.solver = smt::make_z3_solver}, counts);
  });
  print(counts);
}

TEST(RandomLitmus, FindingsAreCertain) {
  for_random_programs("certain", scaled(4000), {}, [](const Recorded& run, Random&) {
    return all_are_certain(run.trace, oracle::races(run.trace, kOracleLimits));
  });
}

TEST(RandomLitmus, CompanyChangesNothing) {
  for_random_programs("company", scaled(2000), {},
                      [](const Recorded& run, Random&) { return company_changes_nothing(run.trace); });
}

TEST(RandomLitmus, FirstRaceIsARace) {
  const Flavour flavour{.relaxed = false, .tries = false};
  for_random_programs("first race", scaled(4000), flavour, [](const Recorded& run, Random&) -> std::string {
    const oracle::Races races = oracle::races(run.trace, kOracleLimits);
    for (const char* name : {"wcp", "cp"})
      if (std::string c = first_race_is_a_race(run.trace, name, races, kOracleLimits); !c.empty()) return c;
    return earliest_hb_race_is_a_race(run.trace, races);
  });
}

TEST(RandomLitmus, JudgeAcceptsExactlyTheCorrectSchedules) {
  for_random_programs("judge", scaled(8000), {}, [](const Recorded& run, Random& random) {
    const std::string complaint = judge_agrees_on_random_schedules(run.trace, random, 5);
    if (!complaint.empty()) return complaint;
    return judge_accepts_witnesses(run.trace, oracle::races(run.trace, {.max_states = 2'000}));
  });
}

TEST(RandomLitmus, RacesAreReal) {
  int complete = 0, races = 0;
  for_random_programs("real", scaled(8000), {}, [&](const Recorded& run, Random&) {
    const oracle::Races found = oracle::races(run.trace, kOracleLimits);
    complete += found.search.complete ? 1 : 0;
    races += static_cast<int>(found.witnesses.size());
    return races_are_real(run.file, run.trace, found);
  });
  std::printf("%d searches complete, %d races\n", complete, races);
}

}  // namespace
}  // namespace racecast::property
