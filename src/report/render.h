// A report as text and as JSON. No logic, and nothing is looked up: what is shown was decided before (report.h).
#pragma once

#include <string>
#include <vector>

#include "report/report.h"

namespace racecast::report {

struct TextOptions {
  unsigned runs = 1;  // how often the program was recorded
  bool colour = false;
  // All pairs, all findings that hang on others, whole stacks and names.
  bool verbose = false;
};

// One paragraph per finding that hangs on no other, and a closing line. The others, and further pairs of a finding, are
// counted under it (or listed: `verbose`).
std::string text(const Part& part, const TextOptions& options);
// What its last line says of code that was not recorded; empty: nothing.
std::string hidden_line(const Hidden& hidden, bool verbose);

// The same for the findings of `nondet` among them, by read.
std::string reads_text(const Part& part);

// One line per finding, sorted: for golden files and for grep.
std::string lines(const std::vector<Finding>& findings);

// The same as text() for candidates, which are not findings.
std::string candidates(const std::vector<Finding>& candidates, bool verbose);

// The whole of every finding of all parts (at least one); schema in docs/json.md.
std::string json(const Report& report);

// An interleaving, a column for each thread that takes part, with values and source lines. Unless `full`, what is long
// and uneventful is folded.
std::string text(const Witness& witness, bool full);

}  // namespace racecast::report
