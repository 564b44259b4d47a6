#include "analysis/certify.h"

#include <fmt/format.h>

#include <algorithm>

#include "program/program.h"
#include "witness/judge.h"
#include "witness/prefix_judge.h"
#include "witness/replay.h"

namespace racecast::analysis {

namespace {

// Where the trace came with its program and is small, the program itself is run along the schedule, too. That needs a
// program that the interpreter can run, that of a litmus file: the model of a compiled program is recomputed
// along recorded paths (model/walk/walk.h), not run, as half of what it calls is outside of it.
constexpr std::uint64_t kMaxReplayed = 100'000;

Result<std::vector<witness::Judgement>> replay_all(const Input& input, const trace::Definitions& definitions,
                                                   const std::vector<RacePair>& pairs) {
  std::vector<witness::Judgement> judgements;
  const auto& program = definitions.program;
  if (program == nullptr || program->origin != program::Origin::Litmus) return judgements;
  std::uint64_t end = 0;
  for (const RacePair& pair : pairs) end = std::max<std::uint64_t>(end, index(pair.second.event) + 1);
  if (end * pairs.size() > kMaxReplayed) return judgements;
  RC_TRY(auto source, input.open());
  trace::Trace trace;  // as much of it as the schedules need: the run may be long
  while (trace.events.size() < end) {
    RC_TRY(const auto batch, source->next());
    if (batch.empty()) break;
    const std::size_t count = std::min<std::size_t>(batch.size(), end - trace.events.size());
    trace.events.insert(trace.events.end(), batch.begin(), batch.begin() + static_cast<std::ptrdiff_t>(count));
  }
  trace.definitions = source->definitions();
  const witness::Judge judge(trace);
  if (judge.execution().has_missing()) return judgements;
  for (const RacePair& pair : pairs) {
    const finding::Schedule schedule = finding::schedule_of(pair.past, trace.events);
    witness::Judgement judgement = judge.race(schedule, pair.first.event, pair.second.event);
    if (judgement.accepted)
      judgement = witness::replay(judge.execution(), schedule, pair.first.event, pair.second.event);
    judgements.push_back(std::move(judgement));
  }
  return judgements;
}

}  // namespace

Status certify(const Input& input, const trace::Definitions& definitions, std::string_view analysis,
               std::vector<RacePair> pairs, Output& output) {
  if (pairs.empty()) return {};
  std::vector<witness::PrefixClaim> claims;
  claims.reserve(pairs.size());
  for (const RacePair& pair : pairs) claims.push_back({pair.past, pair.first.event, pair.second.event});
  RC_TRY(std::vector<witness::Judgement> judgements, witness::judge_prefixes(input.open, claims, input.progress));
  RC_TRY(const std::vector<witness::Judgement> replayed, replay_all(input, definitions, pairs));
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const witness::Judgement& judgement = judgements[i].accepted && i < replayed.size() ? replayed[i] : judgements[i];
    if (!judgement.accepted) {
      output.rejected.push_back(fmt::format("{}: the schedule for events {} and {} breaks rule {} at step {}: {}",
                                            analysis, index(pairs[i].first.event), index(pairs[i].second.event),
                                            judgement.rule, judgement.step, judgement.detail));
      continue;
    }
    finding::Finding finding;
    finding.grade = finding::Grade::Predicted;
    finding.analyses = {std::string(analysis)};
    finding.first = std::move(pairs[i].first);
    finding.second = std::move(pairs[i].second);
    finding.reason = "a schedule of the recorded events brings both accesses next to each other";
    finding.schedule = std::move(pairs[i].past);
    output.findings.push_back(std::move(finding));
  }
  return {};
}

}  // namespace racecast::analysis
