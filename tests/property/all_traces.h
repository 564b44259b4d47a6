// Every small trace, one by one: up to so many events over 3 threads, 2 variables and 2 locks, up to renaming (threads,
// variables and locks are numbered as they appear). Locking is well formed; scopes may be open at the end.
//
// Five families. Plain: reads, writes, lock, unlock; no values, no branches, so that every read keeps its writer.
// Valued: the same with values 0 and 1 that fit the order (what a variable holds at the start is 0 or 1, told only by
// reads), branches, and accesses with a computed address (where their thread read something before). Stateful: 2
// threads, reads and writes of one variable, one lock, branches, and reads of and appends to one object of state
// outside of memory; no values. Unchecked: plain ones in which any of the accesses are not to be checked. Freed: plain
// ones with one lock in which T0 makes an object and forks the others first; the object is one of the variables, and
// either of them may free it. Every event has a location of its own.
#pragma once

#include <cstdint>
#include <functional>

#include "trace/trace.h"

namespace racecast::property {

enum class Family { Plain, Valued, Stateful, Unchecked, Freed };

// Calls `visit` with every trace of 1 to `max_events` events (Freed: and the three that come first); the trace lives
// until it returns. Returns how many.
std::uint64_t for_all_traces(Family family, int max_events, const std::function<void(const trace::Trace&)>& visit);

}  // namespace racecast::property
