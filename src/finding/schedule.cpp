#include "finding/schedule.h"

namespace racecast::finding {

Schedule schedule_of(const Prefix& prefix, std::span<const trace::Event> events) {
  Schedule schedule;
  std::uint64_t left = 0;
  for (const std::uint32_t kept : prefix.kept) left += kept;
  schedule.reserve(left);
  std::vector<std::uint32_t> seen(prefix.kept.size());
  for (std::size_t i = 0; i < events.size() && left > 0; ++i) {
    const trace::Event& e = events[i];
    if (index(e.thread) >= seen.size() || ++seen[index(e.thread)] > prefix.kept[index(e.thread)]) continue;
    const bool known = trace::reads(e) && e.has(trace::kHasValue);
    schedule.push_back({EventNo{i}, known ? std::optional(e.value) : std::nullopt});
    --left;
  }
  return schedule;
}

}  // namespace racecast::finding
