#include "property/laws_value.h"

#include <fmt/format.h>

#include "model/symbolic/symbolic_trace.h"
#include "witness/judge.h"
#include "witness/replay.h"

namespace racecast::property {

using analysis::predict::Decision;
using analysis::predict::Predictor;
using analysis::predict::Verdict;

std::string relaxes_as_the_oracle(const oracle::Recording& recording, const Way& way, ValueCounts* counts) {
  const oracle::RelaxedRaces races = oracle::value_races(recording, {.max_states = 20'000});
  if (!races.complete) return "";
  const trace::Trace& trace = recording.trace;
  const Result<model::SymbolicTrace> symbols = model::SymbolicTrace::make(trace);
  if (!symbols) return symbols.error().message;
  const oracle::Facts facts(trace);
  const Predictor relaxed(trace, 0, &*symbols), plain(trace);
  const witness::Judge judge(trace, witness::Values::Model);
  if (counts != nullptr) ++counts->programs;
  for (int a = 0; a < facts.size(); ++a)
    for (int b = a + 1; b < facts.size(); ++b) {
      if (!facts.conflict(a, b)) continue;
      const EventNo x{static_cast<std::uint64_t>(a)}, y{static_cast<std::uint64_t>(b)};
      const Decision decision = relaxed.decide(x, y, way.budget, way.solver);
      const bool race = races.events.contains({x, y});
      const bool is_maximal = plain.decide(x, y, way.budget).verdict == Verdict::Race;
      if (decision.verdict == Verdict::Unknown) return fmt::format("events {} and {}: unknown", a, b);
      // Missing code is kept by the rule of section 4, which is stricter than it need be where values are known.
      if (race && decision.verdict == Verdict::NoRace && judge.execution().has_missing()) continue;
      if ((decision.verdict == Verdict::Race) != race)
        return fmt::format("events {} and {}: {} a race, the predictor says otherwise", a, b, race ? "are" : "are not");
      if (is_maximal && !race) return fmt::format("events {} and {}: only maximal has the race", a, b);
      if (!race) continue;
      if (counts != nullptr) {
        ++counts->races;
        if (!is_maximal) ++counts->beyond_maximal;
      }
      const witness::Judgement judgement = judge.race(whole_schedule(decision), x, y);
      if (!judgement.accepted)
        return fmt::format("events {} and {}: the judge rejects the schedule: {} at step {}: {}", a, b, judgement.rule,
                           judgement.step, judgement.detail);
      if (counts != nullptr && !judgement.ended.empty()) ++counts->ended;
      if (judge.execution().has_missing()) continue;
      const witness::Judgement replayed = witness::replay(judge.execution(), whole_schedule(decision), x, y);
      if (!replayed.accepted)
        return fmt::format("events {} and {}: the program does not run along the schedule: step {}: {}", a, b,
                           replayed.step, replayed.detail);
    }
  return "";
}

}  // namespace racecast::property
