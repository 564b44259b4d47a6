// racecast analyze --table and --all-triples: every nondeterminism witness of a trace, counted or listed.
#pragma once

#include <string>

#include "analysis/analysis.h"
#include "base/result.h"
#include "cli/pipeline.h"

namespace racecast::cli {

// Every witness is decided, also those that tell people nothing new. `triples`: print each, as it is decided; `table`:
// print the row of Table A1, also as JSON if the options say so. Returns the exit code: are there feasible ones?
Result<int> report_challenges(const analysis::Input& input, const std::string& name, const AnalysisOptions& options,
                              bool triples, bool table);

}  // namespace racecast::cli
