#include "finding/schedule.h"

#include <algorithm>
#include <numeric>

namespace racecast::finding {

namespace {

ScheduleStep as_recorded(EventNo no, const trace::Event& e) {
  const bool known = trace::reads(e) && e.has(trace::kHasValue) && e.size <= 8;
  return {no, known ? std::optional(e.value) : std::nullopt};
}

Schedule written_out(const Prefix& prefix, std::span<const trace::Event> events) {
  Schedule schedule;
  std::uint64_t left = length_of(prefix);
  schedule.reserve(std::min<std::uint64_t>(left, events.size()));
  std::vector<std::uint32_t> seen(prefix.kept.size());
  for (std::size_t i = 0; i < events.size() && left > 0; ++i) {
    const trace::Event& e = events[i];
    if (index(e.thread) >= seen.size() || ++seen[index(e.thread)] > prefix.kept[index(e.thread)]) continue;
    schedule.push_back(as_recorded(EventNo{i}, e));
    --left;
  }
  return schedule;
}

Schedule written_out(const Interleaving& interleaving, std::span<const trace::Event> events) {
  Schedule schedule;
  const std::uint64_t recorded = std::min<std::uint64_t>(interleaving.recorded, events.size());
  for (std::uint64_t i = 0; i < recorded; ++i) schedule.push_back(as_recorded(EventNo{i}, events[i]));
  std::vector<std::uint64_t> left;  // by thread: how many events are still to be found
  for (const Stretch& stretch : interleaving.stretches) {
    if (index(stretch.thread) >= left.size()) left.resize(index(stretch.thread) + 1);
    left[index(stretch.thread)] += stretch.events;
  }
  std::vector<std::vector<EventNo>> own(left.size());  // the next events of each thread
  std::uint64_t all = std::accumulate(left.begin(), left.end(), std::uint64_t{0});
  for (std::uint64_t i = recorded; i < events.size() && all > 0; ++i) {
    const std::size_t thread = index(events[i].thread);
    if (thread >= left.size() || left[thread] == 0) continue;
    own[thread].push_back(EventNo{i});
    --left[thread];
    --all;
  }
  std::vector<std::size_t> next(own.size());
  for (const Stretch& stretch : interleaving.stretches) {
    const std::vector<EventNo>& mine = own[index(stretch.thread)];
    std::size_t& at = next[index(stretch.thread)];
    for (std::uint32_t i = 0; i < stretch.events && at < mine.size(); ++i, ++at)
      schedule.push_back(as_recorded(mine[at], events[index(mine[at])]));
  }
  if (interleaving.others.empty()) return schedule;
  for (ScheduleStep& step : schedule) {
    const auto other = std::lower_bound(interleaving.others.begin(), interleaving.others.end(), step.event,
                                        [](const ScheduleStep& s, EventNo no) { return s.event < no; });
    if (other != interleaving.others.end() && other->event == step.event) step.value = other->value;
  }
  return schedule;
}

}  // namespace

std::uint64_t length_of(const Witness& witness) {
  std::uint64_t length = 0;
  if (const auto* prefix = std::get_if<Prefix>(&witness)) {
    for (const std::uint32_t kept : prefix->kept) length += kept;
  } else {
    const auto& interleaving = std::get<Interleaving>(witness);
    length = interleaving.recorded;
    for (const Stretch& stretch : interleaving.stretches) length += stretch.events;
  }
  return length;
}

Schedule schedule_of(const Witness& witness, std::span<const trace::Event> events) {
  return std::visit([&](const auto& p) { return written_out(p, events); }, witness);
}

std::vector<Stretch> stretches_of(const Schedule& schedule, std::span<const trace::Event> events) {
  std::vector<Stretch> stretches;
  for (const ScheduleStep& step : schedule) {
    const ThreadId thread = events[index(step.event)].thread;
    if (stretches.empty() || stretches.back().thread != thread) stretches.push_back({thread, 0});
    ++stretches.back().events;
  }
  return stretches;
}

}  // namespace racecast::finding
