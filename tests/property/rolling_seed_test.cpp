// Traces and programs that no run has seen before: the other tests have the same seeds for ever. The seed of this run
// is from the clock, or from RACECAST_SEED_OF_RUN; it is printed first, and again with a failure, with the command that
// repeats it. About as much work as a family of fixed seeds at a tenth of its size.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "analysis/window/passed_on.h"
#include "property/laws.h"
#include "property/laws_analyses.h"
#include "property/laws_maximal.h"
#include "property/laws_nondet.h"
#include "property/laws_path.h"
#include "property/laws_value.h"
#include "property/random_traces.h"
#include "trace/recorder.h"
#include "trace/text.h"
#include "trace/validator.h"

namespace racecast::property {
namespace {

constexpr oracle::Limits kLimits{.max_states = 20'000};
constexpr std::uint64_t kMaxSteps = 150;

// What the environment says, or else the clock; nothing if that is no number.
std::optional<std::uint64_t> seed_from(const char* text, std::uint64_t clock) {
  if (text == nullptr) return clock % 1'000'000'000;
  const std::string_view digits = text;
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), seed);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return seed;
}

// Seeds that begin there, one after the other; runs with seeds next to each other have none in common.
std::uint64_t first_seed(std::uint64_t seed_of_run) {
  return Random(seed_of_run).next();
}

class RollingSeed : public testing::Test {
 protected:
  void SetUp() override {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto clock = static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(now).count());
    const std::optional<std::uint64_t> seed = seed_from(std::getenv("RACECAST_SEED_OF_RUN"), clock);
    ASSERT_TRUE(seed) << "RACECAST_SEED_OF_RUN is not a number: " << std::getenv("RACECAST_SEED_OF_RUN");
    first_ = first_seed(*seed);
    const char* scale = std::getenv("RACECAST_PROPERTY_SCALE");
    std::error_code error;
    repeat_ = fmt::format("{}RACECAST_SEED_OF_RUN={} {} --gtest_filter=RollingSeed.{}",
                          scale == nullptr ? "" : fmt::format("RACECAST_PROPERTY_SCALE={} ", scale), *seed,
                          std::filesystem::read_symlink("/proc/self/exe", error).string(),
                          testing::UnitTest::GetInstance()->current_test_info()->name());
    std::printf("the seed of this run is %llu; to repeat it: %s\n", static_cast<unsigned long long>(*seed),
                repeat_.c_str());
    std::fflush(stdout);
  }
  std::uint64_t first_ = 0;
  std::string repeat_;
};

// Each trace is of another flavour than the one before it.
trace::Trace trace_of(std::uint64_t seed) {
  constexpr TraceFlavour kFlavours[] = {{},
                                        {.missing = false},
                                        {.passed_on = true},
                                        {.max_events = 18, .missing = false, .objects = false, .scopes = 100}};
  return random_trace(seed, kFlavours[seed % std::size(kFlavours)]);
}
Flavour flavour_of(std::uint64_t seed) {
  constexpr Flavour kFlavours[] = {{},
                                   {.values = true},
                                   {.missing = false, .values = true, .statements = 20},
                                   {.outcomes = true},
                                   {.missing = false, .values = true, .outcomes = true, .statements = 20}};
  return kFlavours[seed % std::size(kFlavours)];
}
RandomProgram program_of(std::uint64_t seed) {
  return random_program(seed, flavour_of(seed));
}

// The first complaint of several laws.
template <typename... Laws>
std::string all_of(const Laws&... laws) {
  std::string complaint;
  static_cast<void>(((complaint = laws()).empty() && ...));
  return complaint;
}

std::string laws_of_traces(const trace::Trace& trace, std::uint64_t seed) {
  Random random(seed);
  // What speaks of a window speaks of one whose passed-on addresses are forgotten; the passes do that by themselves.
  trace::Trace window = trace;
  analysis::predict::forget_passed_on_addresses(window);
  return all_of(
      [&]() -> std::string {
        const Status valid = trace::validate(trace);
        return valid ? "" : valid.error().message;
      },
      [&] { return all_are_exact(trace, kLimits); },
      [&] { return all_are_certain(trace, oracle::races(trace, kLimits)); },
      [&] { return decides_as_the_oracle(window, {}); },
      [&] { return judge_agrees_on_random_schedules(window, random, 3); },
      [&] { return findings_are_certain(trace, "maximal", oracle::races(trace, kLimits)); },
      [&] { return enumeration_as_the_oracle(window); }, [&] { return list_as_the_oracle(trace); });
}

TEST_F(RollingSeed, TracesObeyTheLaws) {
  const int count = scaled(600);
  std::size_t events = 0;
  for (std::uint64_t seed = first_; seed != first_ + static_cast<std::uint64_t>(count); ++seed) {
    const trace::Trace trace = trace_of(seed);
    events += trace.events.size();
    const std::string complaint = laws_of_traces(trace, seed);
    if (complaint.empty()) continue;
    const bool valid = trace::validate(trace).has_value();
    const trace::Trace small = shrink(trace, [&](const trace::Trace& candidate) {
      return trace::validate(candidate).has_value() == valid && !laws_of_traces(candidate, seed).empty();
    });
    FAIL() << "seed " << seed << ": " << complaint << "\nto repeat it: " << repeat_
           << "\n--- shrunk: " << laws_of_traces(small, seed) << "\n"
           << describe(small) << "\nbranches: " << small.definitions.branches;
  }
  EXPECT_GT(events, static_cast<std::size_t>(count) * 5);
}

std::string laws_of_programs(const std::string& text, std::uint64_t seed, bool* broken) {
  *broken = true;
  const Result<program::LitmusFile> file = program::parse_litmus(text, "random.litmus");
  if (!file) return "it does not parse: " + file.error().message;
  const Result<oracle::Recording> run = oracle::record(*file, {.schedule = {}, .seed = seed, .limits = {kMaxSteps}});
  if (!run) return "it does not run: " + run.error().message;
  *broken = false;
  return all_of([&] { return program_forms_agree(*file); }, [&] { return all_are_exact(run->trace, kLimits); },
                [&] { return decides_as_the_oracle(run->trace, {}); }, [&] { return relaxes_as_the_oracle(*run, {}); },
                [&] { return turns_as_the_oracle(*run); });
}

TEST_F(RollingSeed, ProgramsObeyTheLaws) {
  const int count = scaled(300);
  bool broken = false;
  for (std::uint64_t seed = first_; seed != first_ + static_cast<std::uint64_t>(count); ++seed) {
    const RandomProgram program = program_of(seed);
    const std::string complaint = laws_of_programs(text_of(program), seed, &broken);
    if (complaint.empty() || (flavour_of(seed).outcomes && complaint.starts_with("it does not run"))) continue;
    const RandomProgram small = shrink(
        program, [&](const std::string& text) { return !laws_of_programs(text, seed, &broken).empty() && !broken; });
    FAIL() << "seed " << seed << ": " << complaint << "\nto repeat it: " << repeat_ << "\n\n--- the program\n"
           << text_of(program) << "\n--- shrunk: " << laws_of_programs(text_of(small), seed, &broken) << "\n"
           << text_of(small);
  }
}

// What is printed is enough to repeat it.
TEST_F(RollingSeed, TheSameSeedGivesTheSame) {
  EXPECT_EQ(seed_from("17", 99), 17u);
  EXPECT_EQ(seed_from(nullptr, 99), 99u);
  for (const char* text : {"", "x", "17 ", "-1", "99999999999999999999"}) EXPECT_FALSE(seed_from(text, 99)) << text;
  std::set<std::string> traces, programs;
  constexpr std::uint64_t kCount = 40;
  for (std::uint64_t seed = first_; seed != first_ + kCount; ++seed) {
    const std::string trace = trace::print_text(trace_of(seed)), program = text_of(program_of(seed));
    EXPECT_EQ(trace::print_text(trace_of(seed)), trace) << repeat_;
    EXPECT_EQ(text_of(program_of(seed)), program) << repeat_;
    traces.insert(trace);
    programs.insert(program);
  }
  EXPECT_GE(traces.size(), kCount / 2);
  EXPECT_GE(programs.size(), kCount / 2);
  // Another seed, other traces.
  EXPECT_FALSE(traces.contains(trace::print_text(trace_of(first_seed(first_ + 1)))));
}

}  // namespace
}  // namespace racecast::property
