// The laws of the analyses of docs/semantics.md, section 6: each gives what the oracle gives, its findings are races,
// its schedules are correct, and it does not matter what else runs beside it. As in laws.h, a law returns its
// complaint.
#pragma once

#include <string>
#include <vector>

#include "property/oracle.h"
#include "trace/trace.h"

namespace racecast::property {

// The analyses that the laws speak of; each must exist.
const std::vector<std::string>& analyses_under_law();

// Pairs of source locations (findings and candidates) and racy events are those of the oracle. Says nothing of an
// analysis for which the oracle hit its bound.
std::string all_are_exact(const trace::Trace& trace, const oracle::Limits& limits = {});

// Findings of the analyses that promise it (shb, syncp, wcp, cp) are races: among `races`, if that search was complete,
// and their schedules are correct by the judge and by the oracle, both accesses next. shb and syncp promise a schedule
// for each, and have no candidates. No schedule was rejected on the way.
std::string findings_are_certain(const trace::Trace& trace, const std::string& analysis, const oracle::Races& races);
std::string all_are_certain(const trace::Trace& trace, const oracle::Races& races);

// The same answer, to the letter, alone and together with all others.
std::string company_changes_nothing(const trace::Trace& trace);
// And with so many jobs.
std::string jobs_change_nothing(const trace::Trace& trace, unsigned jobs);

}  // namespace racecast::property
