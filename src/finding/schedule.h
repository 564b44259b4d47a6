// A schedule: recorded events in another order, with the values that reads return there. Data only; witness/ judges it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/ids.h"

namespace racecast::finding {

struct ScheduleStep {
  EventNo event{};
  // What a read (or the read of a rmw) returns in this schedule. Absent: the recorded value, where the trace has one.
  std::optional<std::uint64_t> value;
  bool operator==(const ScheduleStep&) const = default;
};

using Schedule = std::vector<ScheduleStep>;

}  // namespace racecast::finding
