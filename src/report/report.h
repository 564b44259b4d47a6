// Findings as text and as JSON. No logic: what is shown was decided before.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
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
  // What is not a finding but not nothing either, for the closing line.
  std::size_t candidates = 0;
  bool complete = true;  // false: an analysis reached a limit
  // What was looked for: races, and reads that can see another write.
  bool races = true, reads = false;
  // Several recordings of one program: in how many of them each race was found, by fingerprint.
  unsigned runs = 1;
  std::map<std::uint64_t, unsigned> seen_in = {};
  // Names of memory without a symbol, by address and event of the access.
  std::map<std::pair<std::uint64_t, EventNo>, std::string> objects = {};
  // A line of a source file, empty if it is not there; for programs that do not bring their source. May be empty.
  std::function<std::string(const std::string& file, std::uint32_t line)> source_line = {};
};

// What the second access of a finding touches: a symbol, an object, or an address.
std::string variable_of(const finding::Finding& finding, const Context& context);

// Was a function called at this place of a stack (finding::Access::call_sites)? Else nobody knows where from (through a
// pointer, by code that was not recorded), and the place is that function's first instruction.
bool is_call_site(const trace::Definitions& definitions, LocationId place);

// One paragraph per finding, dependent races under the race they hang on, and a closing line.
std::string text(const std::vector<finding::Finding>& findings, const Context& context);

// The same for the findings of `nondet` among them, by read; empty if there are none.
std::string reads_text(const std::vector<finding::Finding>& findings, const Context& context);

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
  std::vector<std::pair<std::string, std::uint64_t>> figures;  // what it did, in numbers
};
// One trace and what was found in it, for json().
struct Part {
  const std::vector<finding::Finding>& findings;
  const std::vector<finding::Finding>& candidates;
  std::vector<AnalysisSummary> analyses;
  const Context& context;
};
// The whole of every finding of all parts (at least one); schema in docs/json.md.
std::string json(std::span<const Part> parts);

// The events that the numbers of a finding refer to; null: not known.
const std::vector<trace::Event>* events_of(const finding::Finding& finding, const Context& context);
// A schedule as `--schedule` takes it ("main*2 T1*3"), ending with the two accesses; empty where it cannot be said so
// (missing code, a trace without a litmus program).
std::string schedule_option(const finding::Finding& finding, const Context& context);

// Are all events that its schedule needs there (Context::events)?
bool can_write_out(const finding::Finding& finding, const Context& context);
// The schedule of a finding, step by step; empty where it cannot be written out.
finding::Schedule written_out(const finding::Finding& finding, const Context& context);

// The schedule of a finding as an interleaving, a column for each thread that takes part, with values and source lines;
// empty where it cannot be written out. Unless `full`, what is long and uneventful is folded.
std::string witness(const finding::Finding& finding, const Context& context, bool full);

// The source line of a place, without indentation; empty if the trace did not bring it and the file is not there.
std::string source_text(const Context& context, LocationId location);

}  // namespace racecast::report
