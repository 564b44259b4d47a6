// Every small trace, on every run: whatever is wrong with locks, reads-from or values in the orders, the judge or the
// analyses shows on one of these, and it is small already.
#include <gtest/gtest.h>

#include <cstdio>

#include "property/all_traces.h"
#include "property/laws.h"
#include "property/laws_analyses.h"
#include "property/laws_orders.h"
#include "property/oracle.h"
#include "trace/validator.h"

namespace racecast::property {
namespace {

struct FamilyRow {
  Family family;
  int events;
  const char* name;
};
constexpr FamilyRow kPlain{Family::Plain, 5, "plain"}, kValued{Family::Valued, 4, "valued"},
    kStateful{Family::Stateful, 5, "stateful"}, kUnchecked{Family::Unchecked, 4, "unchecked"},
    kFreed{Family::Freed, 5, "freed"};

// Visits all traces of a family; stops asking after the first complaint.
void for_all(const FamilyRow& row, const std::function<std::string(const trace::Trace&)>& law) {
  std::string complaint;
  const std::uint64_t count = for_all_traces(row.family, row.events, [&](const trace::Trace& trace) {
    if (!complaint.empty()) return;
    complaint = law(trace);
    if (!complaint.empty()) complaint += "\n" + describe(trace);
  });
  std::printf("%llu %s traces of up to %d events\n", static_cast<unsigned long long>(count), row.name, row.events);
  EXPECT_EQ(complaint, "");
  EXPECT_GT(count, row.events == 5 || row.family == Family::Valued ? 50'000u : 4'000u);  // the family is what it claims
}
void for_all(const std::function<std::string(const trace::Trace&)>& law) {
  for (const FamilyRow& row : {kPlain, kValued, kStateful, kUnchecked, kFreed}) for_all(row, law);
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

TEST(SmallTraces, TheoremsOfTheOrders) {
  for (const FamilyRow& row : {kPlain, kStateful, kUnchecked, kFreed})
    for_all(row, [](const trace::Trace& trace) {
      const std::string complaint = inclusions_hold(trace);
      return complaint.empty() ? syncp_is_between(trace, oracle::races(trace), {}) : complaint;
    });
}

TEST(SmallTraces, FirstRaceIsARace) {
  for (const FamilyRow& row : {kPlain, kStateful, kUnchecked, kFreed})
    for_all(row, [](const trace::Trace& trace) {
      const oracle::Races races = oracle::races(trace);
      const std::string wcp = first_race_is_a_race(trace, "wcp", races, {});
      return wcp.empty() ? first_race_is_a_race(trace, "cp", races, {}) : wcp;
    });
}

TEST(SmallTraces, FindingsAreCertain) {
  for (const FamilyRow& row : {kPlain, kStateful, kUnchecked, kFreed})
    for_all(row, [](const trace::Trace& trace) { return all_are_certain(trace, oracle::races(trace)); });
  // Orders know no values, but schedules do.
  for_all(kValued, [](const trace::Trace& trace) { return findings_are_certain(trace, "shb", oracle::races(trace)); });
}

TEST(SmallTraces, AnalysesAreExact) {
  for (const FamilyRow& row : {kPlain, kStateful, kUnchecked, kFreed})
    for_all(row, [](const trace::Trace& trace) { return all_are_exact(trace); });
}

TEST(SmallTraces, CompanyChangesNothing) {
  for_all({Family::Plain, 4, "plain"}, company_changes_nothing);
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
