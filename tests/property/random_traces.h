// Random valid traces, not from a program: what no litmus file can do but a C++ or Java program can. Recursive locks,
// every try, spurious and timed-out wakes, once-guards, objects that die and whose memory is used again, accesses of 1
// to 8 bytes that overlap in part, missing code that reaches anything, values that were not recorded, state outside of
// memory, accesses that are not to be checked, traces with and without branches. The same seed gives the same trace.
#pragma once

#include <cstdint>
#include <functional>

#include "trace/trace.h"

namespace racecast::property {

struct TraceFlavour {
  int max_events = 14;
  bool missing = true;
  bool objects = true;        // alloc and free
  bool mixed_atomics = true;  // atomic operations that overlap in part
  bool relaxed = true;        // atomic operations weaker than acquire and release
  bool failed_tries = true;   //
  // Mostly values of 8 bytes that are addresses in, next to and behind the memory of objects that threads pass on.
  bool passed_on = false;
  int freed = 20;   // percent of the traces that are mostly about an object that is used and freed
  int state = 25;   // percent of the traces that are mostly about state outside of memory
  int scopes = 40;  // percent of the traces that are mostly critical sections: what tells wcp, cp, syncp apart
};

trace::Trace random_trace(std::uint64_t seed, const TraceFlavour& flavour = {});

// A smaller trace that still fails, by leaving out events. `fails` must be false for traces that are not valid.
trace::Trace shrink(trace::Trace trace, const std::function<bool(const trace::Trace&)>& fails);

}  // namespace racecast::property
