// Every small trace, on every run: whatever is wrong with locks, reads-from or values in the orders, the judge or the
// analyses shows on one of these, and it is small already.
#include <gtest/gtest.h>

#include <cstdio>

#include "property/all_traces.h"
#include "property/laws.h"
#include "property/oracle.h"
#include "trace/validator.h"

namespace racecast::property {
namespace {

struct FamilyRow {
  Family family;
  int events;
  const char* name;
};
constexpr FamilyRow kPlain{Family::Plain, 5, "plain"}, kValued{Family::Valued, 4, "valued"};

// Visits all traces of both families; stops asking after the first complaint.
void for_all(const std::function<std::string(const trace::Trace&)>& law) {
  for (const FamilyRow& row : {kPlain, kValued}) {
    std::string complaint;
    const std::uint64_t count = for_all_traces(row.family, row.events, [&](const trace::Trace& trace) {
      if (!complaint.empty()) return;
      complaint = law(trace);
      if (!complaint.empty()) complaint += "\n" + describe(trace);
    });
    std::printf("%llu %s traces of up to %d events\n", static_cast<unsigned long long>(count), row.name, row.events);
    EXPECT_EQ(complaint, "");
    EXPECT_GT(count, 50'000u);  // the families are what they claim to be
  }
}

TEST(SmallTraces, Validate) {
  for_all([](const trace::Trace& trace) -> std::string {
    const Status valid = trace::validate(trace);
    return valid ? "" : valid.error().message;
  });
}

TEST(SmallTraces, MemoisingChangesNothing) {
  for_all([](const trace::Trace& trace) -> std::string {
    const std::set<oracle::Pair> all = oracle::races(trace, {.memoise = false}).pairs();
    return oracle::races(trace).pairs() == all ? "" : "memoising loses or invents a race";
  });
}

TEST(SmallTraces, ShbIsSchedulable) {
  for_all([](const trace::Trace& trace) { return shb_is_schedulable(trace, oracle::races(trace)); });
}

TEST(SmallTraces, OrdersAreExact) {
  for_all([](const trace::Trace& trace) {
    const std::string hb = hb_is_exact(trace);
    return hb.empty() ? shb_is_exact(trace) : hb;
  });
}

TEST(SmallTraces, EarliestHbRaceIsARace) {
  for_all([](const trace::Trace& trace) { return earliest_hb_race_is_a_race(trace, oracle::races(trace)); });
}

TEST(SmallTraces, JudgeAcceptsExactlyTheCorrectSchedules) {
  std::uint64_t judged = 0;
  for_all([&](const trace::Trace& trace) { return judge_agrees_everywhere(trace, &judged); });
  std::printf("%llu schedules judged\n", static_cast<unsigned long long>(judged));
}

}  // namespace
}  // namespace racecast::property
