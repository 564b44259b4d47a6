// From numbers of events to findings: a second look at the trace, for analyses that remember only numbers while they
// stream. Reads the trace up to the last event that is asked for.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "model/order/vector_clock.h"

namespace racecast::analysis {

using model::EventAt;

// The accesses of a race: one of `firsts` (the latest in the trace) and `second`.
struct RaceAt {
  std::vector<EventAt> firsts;
  EventAt second;
};

// What is to be said of accesses, by their numbers in the trace.
Result<std::map<EventNo, finding::Access>> describe_accesses(const Input& input, const std::set<EventNo>& numbers);

struct Described {
  // One for each pair of source locations, the first that shows it; grade and analyses are the caller's to fill in.
  std::vector<finding::Finding> findings;
  RacyEvents racy;  // the second events of all pairs
};

Result<Described> describe_races(const Input& input, const std::vector<RaceAt>& races);
// The same by numbers in the trace: (earlier, later).
Result<Described> describe_pairs(const Input& input, const std::vector<std::pair<EventNo, EventNo>>& pairs);

// The same where the accesses have been described before (describe_accesses).
Described describe_pairs(const std::map<EventNo, finding::Access>& accesses,
                         const std::vector<std::pair<EventNo, EventNo>>& pairs, const trace::Definitions& definitions,
                         bool keep_racy_events);

}  // namespace racecast::analysis
