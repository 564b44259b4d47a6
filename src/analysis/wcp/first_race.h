// How the pairs of wcp and cp are graded (docs/semantics.md, section 6): only the first race is certain, if anything
// is, and it is a finding if a schedule for it is found and judged. All other pairs are candidates.
#pragma once

#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "model/order/vector_clock.h"

namespace racecast::analysis {

// The latest earlier access that conflicts with `second` and is not among the events that `before` counts, of every
// other thread the first ones. There must be one. Reads the trace up to `second`.
Result<EventNo> latest_partner(const Input& input, const finding::Access& second, const model::VectorClock& before);

// Files `pairs`, one for each pair of places, in order of the second access, among the findings and candidates of
// `output`. The first race, a pair of events (earlier, later), stands for the pair of its places.
Status grade_pairs(const Input& input, const PassContext& context, std::string_view analysis,
                   std::pair<EventNo, EventNo> first, std::vector<finding::Finding> pairs, Output& output);

}  // namespace racecast::analysis
