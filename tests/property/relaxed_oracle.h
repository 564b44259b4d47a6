// The oracle of `value` and `path`: every race that docs/semantics.md, section 7, defines, by running all schedules of
// a litmus program with its threads held to their recorded paths (relaxed_machine.h).
//
// SLOW ON PURPOSE, AND FOR TESTS ONLY: exponential in the program. Shares no code with src/model, src/analysis and
// src/witness; it is what they are measured against. Missing code is in both, by what record() saw of it; its contents
// count as known only where the trace tells them. A new object is zeroed, and that counts as known.
#pragma once

#include <cstdint>
#include <set>
#include <utility>

#include "program/litmus/litmus.h"
#include "property/oracle.h"
#include "property/relaxed_machine.h"
#include "trace/recorder.h"

namespace racecast::oracle {

// One run of a litmus program: its trace, and what a trace does not tell of missing code.
struct Recording {
  std::shared_ptr<const program::Program> program;
  trace::Trace trace;
  MissingFacts missing;
};
// As trace::record, with the same trace.
Result<Recording> record(const program::LitmusFile& file, const trace::RecordOptions& options = {});

struct RelaxedLimits {
  std::uint64_t max_states = 200'000;
};

struct RelaxedRaces {
  std::set<std::pair<InstrId, InstrId>> races;  // the smaller first
  std::set<Pair> events;                        // not path: the same, as pairs of recorded events, the earlier first
  std::uint64_t states = 0;
  bool complete = true;  // false: a bound was hit; what was found is true, what was not found is unknown
};
RelaxedRaces value_races(const Recording& recording, const RelaxedLimits& limits = {});
RelaxedRaces path_races(const Recording& recording, const RelaxedLimits& limits = {});
// From the trace alone, which must be a recording of the program by trace::Recorder. Not complete where there is
// missing code: no thread goes into it then.
RelaxedRaces value_races(const program::Program& program, const trace::Trace& trace, const RelaxedLimits& limits = {});
RelaxedRaces path_races(const program::Program& program, const trace::Trace& trace, const RelaxedLimits& limits = {});
// Section 5 by the same interpreter, to compare it with the oracle of traces, which shares no code with it. For
// programs that divide by constants only.
RelaxedRaces maximal_races(const Recording& recording, const RelaxedLimits& limits = {});
// The analysis `all`, to compare this interpreter with the other one. Not complete where the program makes a mistake.
RelaxedRaces all_races(const program::Program& program, const RelaxedLimits& limits = {});

}  // namespace racecast::oracle
