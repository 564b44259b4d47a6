// A schedule: recorded events in another order, with the values that reads return there. Data only; witness/ judges it.
// Where the recorded order is kept, a Prefix says the same in a few words and is written out only where it is shown.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/ids.h"
#include "trace/event.h"

namespace racecast::finding {

struct ScheduleStep {
  EventNo event{};
  // What a read (or the read of a rmw) returns in this schedule. Absent: the recorded value, where the trace has one.
  std::optional<std::uint64_t> value;
  bool operator==(const ScheduleStep&) const = default;
};

using Schedule = std::vector<ScheduleStep>;

// A schedule in recorded order, at the price of a number per thread: of thread t, its first kept[t] events (missing:
// 0).
struct Prefix {
  std::vector<std::uint32_t> kept;  // by ThreadId
  std::uint32_t of(ThreadId thread) const { return index(thread) < kept.size() ? kept[index(thread)] : 0; }
  bool operator==(const Prefix&) const = default;
};
// Written out: `events` are those of the trace from its start, as many as the prefix needs (or more).
Schedule schedule_of(const Prefix& prefix, std::span<const trace::Event> events);

}  // namespace racecast::finding
