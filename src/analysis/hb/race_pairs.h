// The streaming pass behind `hb` and `shb`: every pair of source locations with conflicting accesses that the order
// leaves unordered, with the first pair of events that shows it.
//
// Per granule of memory it keeps, for each (thread, location, kind, bytes), the latest access only. That is enough: an
// earlier access of the same thread is ordered before whatever the latest one is ordered before, so if it races with a
// later access, the latest one does too. So time per access is the number of such entries of its granule, and memory is
// bounded by granules times distinct (thread, location); neither grows with the length of the trace.
#pragma once

#include <vector>

#include "analysis/analysis.h"
#include "model/sync_clocks.h"

namespace racecast::analysis {

struct RacePairs {
  struct Pair {
    finding::Access first, second;  // in recorded order
  };
  std::vector<Pair> pairs;  // in order of the second access, then of the first
  trace::Definitions definitions;
  std::uint64_t events = 0;
};

// Is there missing code in the trace? A pass of its own, because its order must be tracked from the start.
Result<bool> has_missing_code(const Input& input);

Result<RacePairs> find_race_pairs(const Input& input, model::Order order, bool has_missing);

}  // namespace racecast::analysis
