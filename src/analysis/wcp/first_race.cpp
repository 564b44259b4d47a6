#include "analysis/wcp/first_race.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "analysis/certify.h"
#include "analysis/describe.h"
#include "analysis/syncp/ideal.h"
#include "base/check.h"

namespace racecast::analysis {

using trace::Event;
using trace::EventKind;

Result<EventNo> latest_partner(const Input& input, const finding::Access& second, const model::VectorClock& before) {
  // Per byte of the second access: one more than the number of the latest partner that shares it, in its present life.
  std::vector<std::uint64_t> latest(second.size, 0);
  const auto set = [&](const Event& e, std::uint64_t value) {
    const std::uint64_t end = std::min(e.address + e.size, second.address + second.size);
    for (std::uint64_t at = std::max(e.address, second.address); at < end; ++at) latest[at - second.address] = value;
  };
  model::VectorClock now;
  RC_TRY(auto source, input.open());
  for (std::uint64_t number = 0; number < index(second.event);) {
    RC_TRY(const auto batch, source->next());
    if (batch.empty()) break;
    for (const Event& e : batch) {
      if (number == index(second.event)) break;
      ++number;
      now.set(e.thread, now[e.thread] + 1);
      if (e.kind == EventKind::Alloc || e.kind == EventKind::Free) {
        set(e, 0);
      } else if (trace::is_checked(e) && e.thread != second.thread && (trace::writes(e) || second.writes) &&
                 !(trace::is_atomic(e.kind) && second.atomic) && now[e.thread] > before[e.thread]) {
        set(e, number);
      }
    }
  }
  const std::uint64_t found = *std::max_element(latest.begin(), latest.end());
  CHECK(found != 0, "event {} is racy but has no partner", index(second.event));
  return EventNo{found - 1};
}

Status grade_pairs(const Input& input, const PassContext& context, std::string_view analysis,
                   std::pair<EventNo, EventNo> first, std::vector<finding::Finding> pairs, Output& output) {
  RC_TRY(Described described, describe_pairs(input, {first}));
  finding::Finding race = std::move(described.findings.front());
  std::erase_if(pairs,
                [places = finding::places_of(race, context.definitions), &context](const finding::Finding& pair) {
                  return finding::places_of(pair, context.definitions) == places;
                });
  RC_TRY(std::vector<std::optional<finding::Prefix>> schedules,
         syncp_schedules(input, context.facts, std::span(&first, 1)));
  if (schedules.front())
    RC_TRY_STATUS(certify(input, context.definitions, analysis,
                          {{race.first, race.second, std::move(*schedules.front())}}, output));
  if (output.findings.empty()) {
    race.reason = fmt::format(
        "the first race of {}: by its theorem this or a deadlock can happen, where its assumptions hold (A12); no "
        "schedule that keeps the order of critical sections shows it",
        analysis);
    output.candidates.push_back(std::move(race));
  }
  for (finding::Finding& pair : pairs) {
    pair.reason = fmt::format("the order of {} leaves them unordered; a candidate for the predictor", analysis);
    output.candidates.push_back(std::move(pair));
  }
  for (finding::Finding& candidate : output.candidates) candidate.analyses = {std::string(analysis)};
  return {};
}

}  // namespace racecast::analysis
