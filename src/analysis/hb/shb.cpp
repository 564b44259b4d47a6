// `shb`: every pair it finds gets the schedule that its theorem promises (of every thread, what is shb-before one of
// the two, in recorded order), and the judge executes it. A rejected schedule is a bug of racecast and is reported as
// such.
#include <fmt/format.h>

#include "analysis/hb/hb.h"
#include "analysis/hb/race_pairs.h"
#include "analysis/hb/shb_prefix.h"
#include "witness/judge.h"
#include "witness/replay.h"

namespace racecast::analysis {

namespace {

// Of all schedules together: 24 bytes and about a microsecond each. What is beyond is said to be unknown.
constexpr std::uint64_t kMaxScheduleSteps = 20'000'000;

finding::Schedule schedule_of(const trace::Trace& trace, const model::VectorClock& kept, EventNo last) {
  finding::Schedule schedule;
  std::vector<model::Time> seen(trace.definitions.threads.size());
  for (std::size_t i = 0; i < index(last); ++i) {
    const trace::Event& e = trace.events[i];
    if (++seen[index(e.thread)] <= kept[e.thread])
      schedule.push_back(
          {EventNo{i}, trace::reads(e) && e.has(trace::kHasValue) ? std::optional(e.value) : std::nullopt});
  }
  return schedule;
}

}  // namespace

Result<Output> run_shb(const Input& input) {
  RC_TRY(const bool has_missing, has_missing_code(input));
  RC_TRY(RacePairs found, find_race_pairs(input, model::Order::Shb, has_missing));
  Output output;
  output.definitions = std::move(found.definitions);
  output.events = found.events;
  if (found.pairs.empty()) return output;

  // Pairs come in the order of their second access, so the shortest schedules come first.
  std::size_t count = 0;
  for (std::uint64_t steps = 0; count < found.pairs.size(); ++count) {
    steps += index(found.pairs[count].second.event);
    if (count > 0 && steps > kMaxScheduleSteps) break;
  }
  if (count < found.pairs.size()) {
    output.complete = false;
    output.limit = fmt::format("shb has {} more pairs, but builds schedules of {} million steps at the most",
                               found.pairs.size() - count, kMaxScheduleSteps / 1'000'000);
  }

  std::vector<EventNo> wanted;
  for (std::size_t i = 0; i < count; ++i)
    wanted.insert(wanted.end(), {found.pairs[i].first.event, found.pairs[i].second.event});
  RC_TRY(ShbPrefix prefix, shb_prefix(input, wanted, has_missing, true));
  const witness::Judge judge(prefix.trace);
  for (std::size_t i = 0; i < count; ++i) {
    const RacePairs::Pair& pair = found.pairs[i];
    model::VectorClock kept = prefix.before[2 * i];
    kept.join(prefix.before[2 * i + 1]);
    finding::Schedule schedule = schedule_of(prefix.trace, kept, pair.second.event);
    witness::Judgement judgement = judge.race(schedule, pair.first.event, pair.second.event);
    if (judgement.accepted && output.definitions.program != nullptr && !has_missing)
      judgement = witness::replay(judge.execution(), schedule, pair.first.event, pair.second.event);
    if (!judgement.accepted) {
      output.rejected.push_back(fmt::format("shb: the schedule for events {} and {} breaks rule {} at step {}: {}",
                                            index(pair.first.event), index(pair.second.event), judgement.rule,
                                            judgement.step, judgement.detail));
      continue;
    }
    finding::Finding finding;
    finding.grade = finding::Grade::Predicted;
    finding.analyses = {"shb"};
    finding.first = pair.first;
    finding.second = pair.second;
    finding.reason = "a schedule of the recorded events brings both accesses next to each other";
    finding.schedule = std::move(schedule);
    finding.fingerprint = finding::fingerprint_of(finding, output.definitions);
    output.findings.push_back(std::move(finding));
  }
  return output;
}

}  // namespace racecast::analysis
