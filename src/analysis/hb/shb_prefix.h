// The second look at a trace: for chosen events, the shb clock right before each; and the reads that saw a write which
// shb does not order before them ("hinges": what a dependent race hangs on).
#pragma once

#include <vector>

#include "analysis/analysis.h"
#include "model/order/vector_clock.h"

namespace racecast::analysis {

// A read that shb orders after a write only because it read from it. Threads are lanes here (model/order/lanes.h).
struct Hinge {
  LocationId writer{}, read{};
  model::Stamp writer_stamp;
  ThreadId reader{};
  model::Time read_time = 0;
};

struct ShbPrefix {
  std::vector<model::VectorClock> before;  // by position in `wanted`: what precedes the event, itself not included
  std::vector<model::EventAt> at;          // the event
  std::vector<Hinge> hinges;               // in order of the read; the first kMaxHinges
};
inline constexpr std::size_t kMaxHinges = 100'000;

// `wanted` in any order.
Result<ShbPrefix> shb_prefix(const Input& input, const std::vector<EventNo>& wanted, bool has_missing);

}  // namespace racecast::analysis
