// The table of analyses, and what an analysis is: a function from a trace to findings. To add one, write its file and a
// row in analysis.cpp; the command line, `expect` lines and --help follow.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "finding/finding.h"
#include "trace/trace.h"

namespace racecast::analysis {

struct Input {
  // Opens the trace from its start, as often as an analysis needs: a streaming pass first, a second look only where
  // something was found.
  std::function<Result<std::unique_ptr<trace::EventSource>>()> open;
  std::function<void(std::uint64_t events)> progress;  // may be empty
};

struct Output {
  std::vector<finding::Finding> findings;
  bool complete = true;  // false: a limit was reached, and what was not found is unknown
  std::string limit;     // which
  // Schedules that the judge rejected: a bug of racecast. They are not among the findings.
  std::vector<std::string> rejected;
  trace::Definitions definitions;  // of the trace, complete
  std::uint64_t events = 0;
};

struct Analysis {
  std::string_view name;
  std::string_view summary;
  Result<Output> (*run)(const Input&);
};

std::span<const Analysis> analyses();
const Analysis* find_analysis(std::string_view name);

// An Input over a trace in memory, which must outlive it.
Input input_of(const trace::Trace& trace);

}  // namespace racecast::analysis
