#include "analysis/wcp/first_race.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "analysis/certify.h"
#include "analysis/describe.h"
#include "analysis/syncp/ideal.h"
#include "base/check.h"
#include "model/memory/interval_map.h"

namespace racecast::analysis {

using trace::Event;
using trace::EventKind;

Result<EventNo> latest_partner(const Input& input, const finding::Access& second, const model::VectorClock& before) {
  // Of the bytes of the second access, in their present life: the number of the latest partner.
  model::IntervalMap<std::uint64_t, std::uint64_t> latest;
  const std::uint64_t begin = second.address, end = second.address + second.size;
  model::VectorClock now;
  RC_TRY(auto source, input.open());
  for (std::uint64_t number = 0; number < index(second.event);) {
    RC_TRY(const auto batch, source->next());
    if (batch.empty()) break;
    for (const Event& e : batch) {
      if (number == index(second.event)) break;
      now.set(e.thread, now[e.thread] + 1);
      const std::uint64_t from = std::max(begin, e.address), to = std::min(end, e.address + e.size);
      if (e.kind == EventKind::Alloc || e.kind == EventKind::Free) {
        latest.erase(from, to);
      } else if (trace::is_checked(e) && e.thread != second.thread && (trace::writes(e) || second.writes) &&
                 !(trace::is_atomic(e.kind) && second.atomic) && now[e.thread] > before[e.thread]) {
        latest.assign(from, to, number);
      }
      ++number;
    }
  }
  std::optional<std::uint64_t> found;
  latest.for_each(begin, end,
                  [&](auto, auto, std::uint64_t number) { found = std::max(found, std::optional(number)); });
  CHECK(found, "event {} is racy but has no partner", index(second.event));
  return EventNo{*found};
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
