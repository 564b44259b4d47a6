// Runs a Program once, under a given or a random schedule.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "program/litmus/litmus.h"
#include "program/machine/machine.h"

namespace racecast::program {

struct RunLimits {
  std::uint64_t max_steps = 10'000'000;
};

struct RunOutcome {
  std::uint64_t steps = 0;
  bool deadlock = false;            // threads are left that can never go on
  bool step_limit = false;          // max_steps was reached
  std::string blocked;              // describe_blocked() at the end
  std::vector<std::string> faults;  // one line per thread that faulted
};

// The entries of a `run` line in order, then what is left round-robin, one step each, main first, then by thread id. A
// label runs its thread up to and including that statement (its next execution), a thread's name to its end or for a
// number of steps; a thread
// that blocks stays where it is and the schedule goes on with the next entry.
Result<RunOutcome> run_schedule(Machine& machine, const std::vector<ScheduleEntry>& schedule, const Observer& observer,
                                const RunLimits& limits = {});

// Each step by a thread drawn uniformly from the enabled ones; the same seed gives the same run.
Result<RunOutcome> run_random(Machine& machine, std::uint64_t seed, const Observer& observer,
                              const RunLimits& limits = {});

}  // namespace racecast::program
