// `analyze --compare`: maximal, value and path on one trace, each by itself.
#pragma once

#include <string>

#include "analysis/analysis.h"
#include "base/result.h"
#include "cli/pipeline.h"

namespace racecast::cli {

// Counts the trace, runs the analyses one after the other and prints the row of RECIPE's Table II; of `options`, the
// window, the jobs, the way to take missing code and the JSON file are used. An analysis that racecast does not have is
// left out. Returns the exit code. A race that `maximal` finds and one of the others does not is a bug of racecast:
// said on standard error; in tests (RACECAST_STRICT), an internal error.
Result<int> compare_and_report(const analysis::Input& input, const std::string& name, const AnalysisOptions& options);

}  // namespace racecast::cli
