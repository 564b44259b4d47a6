// Findings as text and as JSON. No logic: what is shown was decided before.
#pragma once

#include <string>
#include <vector>

#include "finding/finding.h"
#include "trace/trace.h"

namespace racecast::report {

struct Context {
  const trace::Definitions& definitions;
  // The first events of the trace: a schedule that needs more of them is not written out. May be null.
  const std::vector<trace::Event>* events = nullptr;
  std::string input;  // the file that was analysed, for the commands we print
  bool colour = false;
};

// One paragraph per finding, dependent races under the race they hang on, and a closing line.
std::string text(const std::vector<finding::Finding>& findings, const Context& context);

// One line per finding, sorted: for golden files and for grep.
std::string lines(const std::vector<finding::Finding>& findings, const Context& context);

// The same as text() for candidates, which are not findings.
std::string candidates(const std::vector<finding::Finding>& candidates, const Context& context);

// What one analysis answered, in numbers.
struct AnalysisSummary {
  std::string name;
  std::uint64_t racy_events = 0, racy_locations = 0, pairs = 0;
  bool complete = true;
  std::string limit;
};
// The whole of every finding; schema in docs/json.md.
std::string json(const std::vector<finding::Finding>& findings, const std::vector<finding::Finding>& candidates,
                 const std::vector<AnalysisSummary>& analyses, const Context& context);

// A schedule as `--schedule` takes it ("main*2 T1*3"), ending with the two accesses; empty where it cannot be said so
// (missing code, a trace without a litmus program).
std::string schedule_option(const finding::Finding& finding, const Context& context);

// The schedule of a finding, step by step; empty where it is too long (Context::events).
finding::Schedule written_out(const finding::Finding& finding, const Context& context);

}  // namespace racecast::report
