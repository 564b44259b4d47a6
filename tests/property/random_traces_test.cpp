// Random valid traces with everything that an event can be: the orders, the judge and the file forms against the
// oracle. A failure prints its seed and the trace, shrunk.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>

#include "property/laws.h"
#include "property/laws_analyses.h"
#include "property/laws_orders.h"
#include "property/oracle_order.h"
#include "property/random_traces.h"
#include "trace/state.h"
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

// What the laws below say of frees, they say of something.
TEST(RandomTraces, FreesRace) {
  int by_hb = 0, by_another_schedule = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    const trace::Trace trace = random_trace(seed, {.max_events = 18, .freed = 100, .scopes = 100});
    const auto frees = [&](const oracle::Pair& pair) {
      return trace.events[index(pair.second)].kind == trace::EventKind::Free;
    };
    const std::set<oracle::Pair> hb = oracle::hb_pairs(trace);
    const oracle::Races races = oracle::races(trace, kOracleLimits);
    for (const oracle::Pair& pair : hb) by_hb += frees(pair) ? 1 : 0;
    for (const auto& [pair, witness] : races.witnesses)
      by_another_schedule += frees(pair) && !hb.contains(pair) ? 1 : 0;
  }
  std::printf("%d pairs with a free by hb, %d more by another schedule\n", by_hb, by_another_schedule);
  EXPECT_GT(by_hb, 100);
  EXPECT_GT(by_another_schedule, 0);  // of these the small traces have more
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

TEST(RandomTraces, TheoremsOfTheOrders) {
  for_random_traces("theorems", scaled(5000), [](const trace::Trace& trace, Random&) {
    const std::string complaint = inclusions_hold(trace);
    if (!complaint.empty()) return complaint;
    return syncp_is_between(trace, oracle::races(trace, kOracleLimits), kOracleLimits);
  });
}

TEST(RandomTraces, FirstRaceIsARace) {
  for_random_traces("first race", scaled(4000),
                    [](const trace::Trace& trace, Random&) -> std::string {
                      const oracle::Races races = oracle::races(trace, kOracleLimits);
                      for (const char* name : {"hb", "wcp", "cp"})
                        if (std::string c = first_race_is_a_race(trace, name, races, kOracleLimits); !c.empty())
                          return c;
                      return earliest_hb_race_is_a_race(trace, races);
                    },
                    {.max_events = 18, .relaxed = false, .failed_tries = false, .scopes = 80});
}

TEST(RandomTraces, AnalysesAreExact) {
  for_random_traces("exact", scaled(8000),
                    [](const trace::Trace& trace, Random&) { return all_are_exact(trace, kOracleLimits); });
}

TEST(RandomTraces, AnalysesAreExactOnScopes) {
  for_random_traces("exact on scopes", scaled(4000),
                    [](const trace::Trace& trace, Random&) { return all_are_exact(trace, kOracleLimits); },
                    {.max_events = 20, .scopes = 100});
}

TEST(RandomTraces, AnalysesAreExactOnFreed) {
  for_random_traces("exact on freed", scaled(4000),
                    [](const trace::Trace& trace, Random&) { return all_are_exact(trace, kOracleLimits); },
                    {.max_events = 18, .freed = 100, .scopes = 60});
}

TEST(RandomTraces, FindingsAreCertain) {
  for_random_traces("certain", scaled(6000), [](const trace::Trace& trace, Random&) {
    return all_are_certain(trace, oracle::races(trace, kOracleLimits));
  });
}

TEST(RandomTraces, CompanyChangesNothing) {
  for_random_traces("company", scaled(4000),
                    [](const trace::Trace& trace, Random&) { return company_changes_nothing(trace); });
}

TEST(RandomTraces, JobsChangeNothing) {
  for_random_traces("jobs", scaled(1000),
                    [](const trace::Trace& trace, Random&) { return jobs_change_nothing(trace, 3); });
}

// What the laws above are worth: the traces have what the analyses differ in.
TEST(RandomTraces, TellTheAnalysesApart) {
  constexpr oracle::Limits kFew{.max_states = 3000};
  std::map<std::string, int> traces;
  const auto minus = [](std::set<oracle::Pair> a, const std::set<oracle::Pair>& b) {
    for (const oracle::Pair& pair : b) a.erase(pair);
    return a;
  };
  for_random_traces(
      "apart", scaled(3000),
      [&](const trace::Trace& trace, Random&) -> std::string {
        std::map<std::string, std::set<oracle::Pair>> of;
        for (const char* name : {"hb", "shb", "cp", "wcp", "hybrid", "syncp"})
          of[name] = oracle::pairs_of(name, trace, kFew).value_or(std::set<oracle::Pair>{});
        of["maximal"] = oracle::races(trace, kFew).pairs();
        for (const auto& [more, less] : std::vector<std::pair<std::string, std::string>>{{"hb", "shb"},
                                                                                         {"cp", "hb"},
                                                                                         {"wcp", "cp"},
                                                                                         {"hybrid", "wcp"},
                                                                                         {"syncp", "shb"},
                                                                                         {"syncp", "wcp"},
                                                                                         {"wcp", "syncp"},
                                                                                         {"maximal", "syncp"}})
          traces[more + " without " + less] += minus(of[more], of[less]).empty() ? 0 : 1;
        return "";
      },
      {.max_events = 20, .scopes = 100});
  for (const auto& [name, count] : traces) {
    std::printf("%s: %d traces\n", name.c_str(), count);
    if (scaled(3000) >= 3000) EXPECT_GT(count, 5) << name;
  }
}

TEST(RandomTraces, HaveEveryKindOfSynchronisation) {
  std::map<std::string, int> seen;
  for_random_traces("kinds", scaled(6000), [&](const trace::Trace& trace, Random&) -> std::string {
    const oracle::Facts facts(trace);
    std::map<std::pair<ThreadId, std::uint64_t>, int> arrived;
    for (const trace::Event& e : trace.events) {
      const std::string kind(trace::row_of(e.kind).text);
      ++seen[kind];
      if (e.has(trace::kTry)) ++seen[kind + (e.has(trace::kFailed) ? " failed" : " tried")];
      if (e.has(trace::kSpurious)) ++seen[kind + " spurious"];
      if (trace::is_state(e)) ++seen[kind + (e.has(trace::kFailed) ? " of state, waiting" : " of state")];
      if (e.has(trace::kUnchecked)) ++seen[kind + " unchecked"];
      if (e.kind == trace::EventKind::BarrierArrive && arrived[{e.thread, e.address}]++ > 0)
        ++seen["arrive again, without leave"];
      if (e.kind == trace::EventKind::BarrierLeave) arrived[{e.thread, e.address}] = 0;
    }
    const std::vector<oracle::Scope> scopes = oracle::scopes_of(facts);
    for (const oracle::Scope& s : scopes) {
      for (const int e : s.events) {
        if (e == s.begin || e == s.end || facts.object[e] != s.lock) continue;
        ++seen[s.shared ? "rdlock inside itself" : "lock inside itself"];
      }
      for (const oracle::Scope& t : scopes) {
        if (s.thread != t.thread || t.begin <= s.begin || (s.end >= 0 && t.begin > s.end)) continue;
        if (s.shared != t.shared) ++seen["shared and exclusive, one inside the other"];
        if (s.end >= 0 && s.end < t.end) ++seen["scopes that overlap in part"];
      }
    }
    return "";
  });
  for (const char* kind : {"lock",
                           "unlock",
                           "rdlock",
                           "wrlock",
                           "rwunlock",
                           "wait",
                           "wake",
                           "notify",
                           "notifyall",
                           "post",
                           "down",
                           "arrive",
                           "leave",
                           "onceenter",
                           "oncedone",
                           "onceseen",
                           "alloc",
                           "free",
                           "fork",
                           "join",
                           "mbegin",
                           "mend",
                           "aread",
                           "awrite",
                           "rmw",
                           "fence",
                           "lock failed",
                           "rdlock failed",
                           "wrlock failed",
                           "down failed",
                           "lock tried",
                           "wake spurious",
                           "aread of state",
                           "rmw of state",
                           "rmw of state, waiting",
                           "read unchecked",
                           "write unchecked",
                           "awrite unchecked",
                           "arrive again, without leave",
                           "lock inside itself",
                           "rdlock inside itself",
                           "shared and exclusive, one inside the other",
                           "scopes that overlap in part"})
    EXPECT_GT(seen[kind], scaled(6000) >= 6000 ? 10 : -1) << kind;
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
