// The whole flow: a trace in, findings out. `run` and `analyze` differ only in where the trace comes from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "base/result.h"

namespace CLI {
class App;
}

namespace racecast::cli {

struct AnalysisOptions {
  std::vector<std::string> analyses{"hb", "shb", "syncp"};
  std::optional<std::string> json;         // also write the findings to this file
  std::optional<std::string> racy_events;  // write the racy events to this file
  bool candidates = false;                 // show candidates, too
  bool stats = false;
  unsigned jobs = 0;  // 0: as many as there are cores
};
void add_analysis_options(CLI::App& command, AnalysisOptions& options);

struct Analysed {
  std::vector<finding::Finding> findings;    // merged
  std::vector<finding::Finding> candidates;  // merged; without those that are findings
  analysis::Outputs outputs;
};

// Runs the analyses, all at once, and merges their findings. A schedule that the judge rejected is an internal error:
// it means that racecast contradicts itself.
Result<Analysed> analyse(const analysis::Input& input, const std::vector<std::string>& names);

// analyse(), then the report on standard output, the files and the figures of --stats. `name` is the trace's file, for
// the report. Returns the exit code.
Result<int> analyse_and_report(const analysis::Input& input, const std::string& name, const AnalysisOptions& options);

}  // namespace racecast::cli
