// What a finding takes for granted of code that was not recorded: that two calls of it do not synchronise with each
// other, because nothing is seen that both reach (docs/missing_code.md, A7). Told where the answer hangs on it:
//
// - of a race that was observed, where hb would order the pair if any two own points of such sections kept their order.
//   One tie is enough then: a is before p by hb, p before q in the trace, q before b by hb;
// - of one that was predicted, where its schedule has two own points in another order than recorded, or the later one
//   without the earlier, which is after one of the two accesses by hb (others could be performed as well).
//
// One look at the trace with hb's clocks; at each own point, one comparison for each finding.
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/analysis.h"
#include "finding/finding.h"

namespace racecast::analysis::unseen {

// Sets Finding::assumes of those findings among `pairs` that are in `which`. The trace must be valid.
Status find_assumptions(const Input& input, std::vector<finding::Finding>& pairs,
                        const std::vector<std::size_t>& which);

}  // namespace racecast::analysis::unseen
