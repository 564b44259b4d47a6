// The races of `value` (docs/semantics.md, section 7), asked of Z3: which schedules there are is a formula over
// positions, and what a thread computes on its way is the arithmetic of bit-vectors.
//
// The third way to the same answer, beside the predictor and the oracle that runs all schedules (relaxed_oracle.h). It
// shares the symbolic trace with the predictor, but neither its search, its lemmas nor its evaluation of nodes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "model/symbolic/symbolic_trace.h"
#include "smt/solver.h"
#include "trace/trace.h"

namespace racecast::property {

struct Z3Answers {
  std::vector<smt::Answer> races;  // by pair; Sat: a race
  std::string not_encoded;         // what of the trace has no formula; there are no answers then
  std::string error;               // what Z3 complained of; there are no answers then
};

// Can the two accesses of each pair, which conflict, be next at the same time? `symbols` are those of the whole trace,
// which comes with its program. Encoded are accesses of 8 bytes to globals, mutexes, reader-writer locks, threads,
// fences and control; not encoded are objects, missing code, tries and all other synchronisation.
Z3Answers value_races_by_z3(const trace::Trace& trace, const model::SymbolicTrace& symbols,
                            std::span<const std::pair<EventNo, EventNo>> pairs, unsigned effort_per_pair);

}  // namespace racecast::property
