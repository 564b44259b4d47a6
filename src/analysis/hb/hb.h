// `hb` and `shb`: the two order analyses of the foundation (docs/semantics.md, section 6).
//
// Both stream the trace once. Only where something was found do they look a second time, at the prefix of the trace up
// to the last access involved, in memory: `shb` builds a schedule for each pair and has it judged; `hb` finds out which
// of its pairs hang on another race.
#pragma once

#include "analysis/analysis.h"

namespace racecast::analysis {

Result<Output> run_hb(const Input& input);
Result<Output> run_shb(const Input& input);

}  // namespace racecast::analysis
