// Dependent races: pairs that hb leaves unordered but shb orders cannot be scheduled as recorded. They hang on a read
// that saw a racing write (a hinge), and are filed under that race.
#pragma once

#include <vector>

#include "analysis/analysis.h"

namespace racecast::analysis {

// `findings` are those of hb, shb and possibly others, merged. One more pass over the trace, if there is one without a
// schedule.
Status file_dependent_races(const Input& input, const Outputs& outputs, std::vector<finding::Finding>& findings);

}  // namespace racecast::analysis
