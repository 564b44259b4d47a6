#include "property/laws_maximal.h"

#include <fmt/format.h>

#include "property/oracle.h"
#include "witness/judge.h"

namespace racecast::property {

using analysis::predict::Decision;
using analysis::predict::Predictor;
using analysis::predict::Verdict;

namespace {
constexpr oracle::Limits kLimits{.max_states = 20'000};
}

std::string decides_as_the_oracle(const trace::Trace& trace, const Way& way, std::uint64_t* races_seen) {
  const oracle::Races races = oracle::races(trace, kLimits);
  if (!races.search.complete) return "";
  const std::set<oracle::Pair> expected = races.pairs();
  if (races_seen != nullptr) *races_seen += expected.size();
  const oracle::Facts facts(trace);
  const Predictor predictor(trace);
  const witness::Judge judge(trace);
  for (int a = 0; a < facts.size(); ++a)
    for (int b = a + 1; b < facts.size(); ++b) {
      if (!facts.conflict(a, b)) continue;
      const EventNo x{static_cast<std::uint64_t>(a)}, y{static_cast<std::uint64_t>(b)};
      const Decision decision = predictor.decide(x, y, way.budget, way.solver);
      const bool race = expected.contains({x, y});
      if (decision.verdict == Verdict::Unknown) return fmt::format("events {} and {}: unknown", a, b);
      if ((decision.verdict == Verdict::Race) != race)
        return fmt::format("events {} and {}: {} a race, the predictor says otherwise", a, b, race ? "are" : "are not");
      if (!race) continue;
      const witness::Judgement judgement = judge.race(whole_schedule(decision), x, y);
      if (!judgement.accepted)
        return fmt::format("events {} and {}: the judge rejects the schedule: {} at step {}: {}", a, b, judgement.rule,
                           judgement.step, judgement.detail);
      std::vector<EventNo> order;
      for (const finding::ScheduleStep& step : decision.schedule) order.push_back(step.event);
      if (const auto breach = oracle::breach(facts, order))
        return fmt::format("events {} and {}: the oracle rejects the schedule at step {}", a, b, breach->step);
    }
  return "";
}

}  // namespace racecast::property
