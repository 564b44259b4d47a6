// Pairs of places that only missing code keeps apart: conflicting accesses that hb orders, and would not without the
// order of functions that were not recorded (unrecorded.h). Had these been recorded, each such pair would be ordered by
// what they do, or race: that is what a report must say of code that it has not seen.
//
// One look at the trace with two clocks, one for each order; where all races of hb are known, without the first. Of
// each granule it knows the last write and the last read, as FastTrack does, so it sees some of these pairs and not
// all, in time and memory that hb's filter needs too: a lower bound, of a trace of at most kMostEvents, and of at most
// kMostPairs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/describe.h"
#include "finding/finding.h"

namespace racecast::analysis::unseen {

inline constexpr std::uint64_t kMostEvents = 20'000'000;
inline constexpr std::size_t kMostPairs = 1'000;

struct HiddenPair {
  finding::Places places;
  EventAt first, second;  // the first two that show it; their threads are lanes (model/order/lanes.h)
};

struct HiddenPairs {
  std::vector<HiddenPair> pairs;  // by `second`; one for each pair of places
  bool all = true;                // false: a bound was reached
};

// The trace must be valid. `found`: pairs of places that are known to race, and so are not hidden; `found_all`: all
// that hb finds are among them.
Result<HiddenPairs> hidden_pairs(const Input& input, const std::vector<finding::Finding>& found,
                                 bool found_all = false);

// What a report says of it.
struct Hidden {
  std::size_t pairs = 0;
  bool all = true;  // false: there may be more
  // By how many of them each function orders (ties.h); most first. Pairs of which that is not known are in none.
  std::vector<std::pair<std::string, std::size_t>> functions;
};
Result<Hidden> hidden_by_missing_code(const Input& input, const std::vector<finding::Finding>& found,
                                      bool found_all = false);

}  // namespace racecast::analysis::unseen
