// What maximal, value and path find on one trace, beside what the trace is made of: RECIPE's Table II. No logic: what
// is shown was counted before.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/symbolic/event_counts.h"

namespace racecast::report {

struct ComparedAnalysis {
  std::string name;
  std::string in_paper;  // what Table II calls it
  // These only if racecast has the analysis.
  std::optional<std::uint64_t> races;  // pairs of places
  std::optional<double> seconds;       // of the analysis, run by itself
  bool complete = true;
  std::string limit;  // what was not looked at
};

struct Comparison {
  std::string input;  // the file that was analysed
  model::EventCounts counts;
  std::optional<std::uint64_t> base_reads;  // not without a program
  std::vector<ComparedAnalysis> analyses;   // in the order to be shown
  // Pairs of places that only path finds (Diff), and only maximal (Diff').
  std::optional<std::uint64_t> diff, diff_reversed;
};

// A header and a row; a dash for what there is not.
std::string comparison_text(const Comparison& comparison);
// Schema in docs/json.md.
std::string comparison_json(const Comparison& comparison);

}  // namespace racecast::report
