// Random valid traces with everything that an event can be: the orders, the judge and the file forms against the
// oracle. A failure prints its seed and the trace, shrunk.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <functional>

#include "property/laws.h"
#include "property/oracle.h"
#include "property/random_traces.h"
#include "trace/validator.h"

namespace racecast::property {
namespace {

constexpr oracle::Limits kOracleLimits{.max_states = 20'000};

using Law = std::function<std::string(const trace::Trace&, Random&)>;

void for_random_traces(const char* name, int count, const Law& law, const TraceFlavour& flavour = {}) {
  std::uint64_t events = 0;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(count); ++seed) {
    const trace::Trace trace = random_trace(seed, flavour);
    events += trace.events.size();
    const auto apply = [&](const trace::Trace& candidate) {
      Random random(seed);
      return law(candidate, random);
    };
    const std::string complaint = apply(trace);
    if (complaint.empty()) continue;
    const bool valid = trace::validate(trace).has_value();
    const trace::Trace small = shrink(trace, [&](const trace::Trace& candidate) {
      return trace::validate(candidate).has_value() == valid && !apply(candidate).empty();
    });
    FAIL() << name << ", seed " << seed << ": " << complaint << "\n"
           << describe(trace) << "\n--- shrunk: " << apply(small) << "\n"
           << describe(small) << "\nbranches: " << small.definitions.branches;
  }
  std::printf("%d traces, %llu events\n", count, static_cast<unsigned long long>(events));
}

TEST(RandomTraces, Validate) {
  for_random_traces("validate", scaled(20'000), [](const trace::Trace& trace, Random&) -> std::string {
    const Status valid = trace::validate(trace);
    return valid ? "" : valid.error().message;
  });
}

TEST(RandomTraces, FormsAgree) {
  const std::string scratch =
      (std::filesystem::temp_directory_path() / fmt::format("racecast-traces-{}.rct", ::getpid())).string();
  for_random_traces("forms", scaled(2000),
                    [&](const trace::Trace& trace, Random&) { return trace_forms_agree(trace, scratch); });
  std::filesystem::remove(scratch);
}

TEST(RandomTraces, MemoisingChangesNothing) {
  for_random_traces("memoising", scaled(3000),
                    [](const trace::Trace& trace, Random&) -> std::string {
                      const oracle::Races all = oracle::races(trace, {.max_states = 30'000, .memoise = false});
                      if (!all.search.complete) return "";
                      return oracle::races(trace).pairs() == all.pairs() ? "" : "memoising loses or invents a race";
                    },
                    {.max_events = 9});
}

TEST(RandomTraces, OrdersAreExact) {
  for_random_traces("orders", scaled(50'000), [](const trace::Trace& trace, Random&) {
    const std::string hb = hb_is_exact(trace);
    return hb.empty() ? shb_is_exact(trace) : hb;
  });
}

TEST(RandomTraces, ShbIsSchedulable) {
  for_random_traces("shb", scaled(20'000), [](const trace::Trace& trace, Random&) {
    return shb_is_schedulable(trace, oracle::races(trace, kOracleLimits));
  });
}

TEST(RandomTraces, JudgeAcceptsExactlyTheCorrectSchedules) {
  for_random_traces("judge", scaled(20'000), [](const trace::Trace& trace, Random& random) {
    const std::string complaint = judge_agrees_on_random_schedules(trace, random, 5);
    if (!complaint.empty()) return complaint;
    return judge_accepts_witnesses(trace, oracle::races(trace, {.max_states = 2'000}));
  });
}

}  // namespace
}  // namespace racecast::property
