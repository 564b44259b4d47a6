// The numbers of a trace (model/trace_stats.h) as text and as JSON. No logic: what is shown was counted before.
#pragma once

#include <cstddef>
#include <string>

#include "model/trace_stats.h"
#include "trace/trace.h"

namespace racecast::report {

struct StatsContext {
  const trace::Definitions& definitions;
  std::string input;     // the file that was counted
  std::size_t top = 10;  // rows of each table, for the text
};

// Tables of the `top` threads, locks and variables, and what the rest adds up to.
std::string stats_text(const model::TraceStats& stats, const StatsContext& context);
// All of it; members in docs/json.md.
std::string stats_json(const model::TraceStats& stats, const StatsContext& context);

}  // namespace racecast::report
