// The last step of every analysis that promises a schedule: the judge checks each one (all in a few passes over the
// trace, 128 at a time), and only what it accepts is a finding.
#pragma once

#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/race_history.h"

namespace racecast::analysis {

// Adds a finding with its schedule (RacePair::past) for every pair that the judge accepts; the others are `rejected`.
// `definitions`: of the whole trace.
Status certify(const Input& input, const trace::Definitions& definitions, std::string_view analysis,
               std::vector<RacePair> pairs, Output& output);

}  // namespace racecast::analysis
