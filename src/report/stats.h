// The numbers of a trace (model/trace_stats.h) as text and as JSON. No logic: what is shown was counted before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "model/trace_stats.h"
#include "report/second_look.h"
#include "trace/trace.h"

namespace racecast::report {

struct StatsContext {
  const trace::Definitions& definitions;
  std::string input;                                // the file that was counted
  std::size_t top = 10;                             // rows of each table, for the text
  std::map<std::uint64_t, std::string> locks = {};  // names, by address, of those in no symbol
};

// Which locks need a second look at the trace to be named, and their names by it.
std::set<Moment> unnamed_locks(const model::TraceStats& stats, const trace::Definitions& definitions);
std::map<std::uint64_t, std::string> lock_names(const std::set<Moment>& locks, const SecondLook& look,
                                                const trace::Definitions& definitions, const std::string& folder);

// Tables of the `top` threads, locks and variables, and what the rest adds up to.
std::string stats_text(const model::TraceStats& stats, const StatsContext& context);
// All of it; members in docs/json.md.
std::string stats_json(const model::TraceStats& stats, const StatsContext& context);

}  // namespace racecast::report
