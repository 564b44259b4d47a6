// A schedule: recorded events in another order, with the values that reads return there. Data only; witness/ judges it.
// A finding keeps what a judge has accepted in few words, as its Witness: of a schedule in recorded order how much of
// each thread it keeps (Prefix), of any other its context switches (Interleaving) and the values that are not those
// recorded. It is written out only where it is judged or shown.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "trace/event.h"

namespace racecast::finding {

struct ScheduleStep {
  EventNo event{};
  // What a read (or the read of a rmw) returns in this schedule. Absent: that is not known, or not said.
  std::optional<std::uint64_t> value;
  bool operator==(const ScheduleStep&) const = default;
};

using Schedule = std::vector<ScheduleStep>;

// A schedule in recorded order, at the price of a number per thread: of thread t, its first kept[t] events (missing:
// 0). Every read returns its recorded value.
struct Prefix {
  std::vector<std::uint32_t> kept;  // by ThreadId
  std::uint32_t of(ThreadId thread) const { return index(thread) < kept.size() ? kept[index(thread)] : 0; }
  bool operator==(const Prefix&) const = default;
};

// So many events of one thread, one after the other: its next ones.
struct Stretch {
  ThreadId thread{};
  std::uint32_t events = 0;
  bool operator==(const Stretch&) const = default;
};
// A try or a compare-and-swap that ends otherwise than recorded.
struct Ended {
  EventNo event{};
  ThreadId thread{};
  LocationId location{};
  bool failed = false;  // in the schedule
  bool operator==(const Ended&) const = default;
};
// A schedule in any order, at the price of its context switches.
struct Interleaving {
  std::uint64_t recorded = 0;        // first come the first so many events of the trace, in their order,
  std::vector<Stretch> stretches;    // then these
  std::uint64_t end = 0;             // all of its events have smaller numbers
  std::vector<ScheduleStep> others;  // the reads that deviate, by number; absent value: it is not known
  // Was the program's model run along it? Then these are the writes that store something else than recorded, likewise,
  // and all others store what was recorded. Else a write of a thread that has deviated stores something unknown.
  bool computed = false;
  std::vector<ScheduleStep> stored;
  std::vector<Ended> ended;  // by number
  bool operator==(const Interleaving&) const = default;
};

using Witness = std::variant<Prefix, Interleaving>;

// How many events it has.
std::uint64_t length_of(const Witness& witness);
// Written out: `events` are those of the trace from its start, as many as the witness needs (or more; with fewer, what
// is missing is left out). Linear in `events`.
Schedule schedule_of(const Witness& witness, std::span<const trace::Event> events);
// The context switches of a schedule of the trace `events`.
std::vector<Stretch> stretches_of(const Schedule& schedule, std::span<const trace::Event> events);

}  // namespace racecast::finding
