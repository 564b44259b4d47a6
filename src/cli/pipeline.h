// The whole flow: a trace in, findings out. `run` and `analyze` differ only in where the trace comes from.
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/unseen/hidden_pairs.h"
#include "base/result.h"
#include "cli/uncertain_order.h"
#include "finding/group.h"
#include "report/second_look.h"
#include "trace/missing_mode.h"

namespace racecast::cli {

class Command;

struct AnalysisOptions {
  std::vector<std::string> analyses = analysis::default_analyses();
  std::optional<std::string> json;         // also write the findings to this file
  std::optional<std::string> racy_events;  // write the racy events to this file
  std::optional<std::string> source_root;  // where else source files may be (source_lines.h)
  bool trust_paths = false;  // the trace is of a program that was just run: any file it names may be shown
  bool candidates = false;   // show candidates, too
  bool verbose = false;      // list what is folded otherwise (report/render.h)
  bool stats = false;
  bool fail_incomplete = false;         // what was not seen has an exit code of its own
  unsigned jobs = 0;                    // 0: as many as there are cores
  std::uint64_t budget = 300;           // seconds that the analyses of a trace may take; 0: as many as they need
  std::optional<std::uint64_t> memory;  // megabytes that they may take, 0: as many as they need; absent: limits_of()
  analysis::OwnOptions own;             // of single analyses
  trace::MissingMode missing = trace::MissingMode::Reach;
};
void add_analysis_options(Command& command, AnalysisOptions& options);
// Of these, which analyses, what single ones take, --missing, and their limits.
void add_choice_of_analyses(Command& command, AnalysisOptions& options);
// From now on. Where nothing is said of memory, half of what this process could have.
Limits limits_of(const AnalysisOptions& options);

struct Analysed {
  std::string name;                          // of the trace, for the report
  std::vector<finding::Finding> pairs;       // merged
  std::vector<finding::Finding> candidates;  // merged; without those that are findings
  analysis::Outputs outputs;
  // Of analyse_and_group() and analyse_for_report():
  report::SecondLook look;                       // at the memory and the threads of all pairs
  std::vector<finding::Group> findings;          // the pairs by their causes, as reports number them
  std::vector<finding::Group> candidate_groups;  // the same of the candidates
  std::vector<trace::Event> events;  // the first ones, for schedules that are written out (analyse_for_report)
  UncertainOrder uncertain;          // what hangs on order that is only possible (analyse_for_report)
  analysis::unseen::Hidden hidden;   // what only missing code keeps apart (analyse_for_report)
  bool still_runs = false;           // the process did, when its trace was made
  double seconds = 0;                // how long the analyses took
  unsigned run = 1;                  // which recording of the program it is of
};

// Runs the analyses, all at once, and merges their findings (analysis::Input::only_new: each pair of places is
// decided once). A schedule that the judge rejected means that racecast contradicts itself: its pair is unknown then,
// and the output not complete; in tests (RACECAST_STRICT) it is an internal error.
Result<Analysed> analyse(const analysis::Input& input, const std::vector<std::string>& names);

// analyse(), then what is one finding.
Result<Analysed> analyse_and_group(const analysis::Input& input, const std::vector<std::string>& names);

// analyse_and_group() as the options say, with all that show() needs.
Result<Analysed> analyse_for_report(const analysis::Input& input, const std::string& name,
                                    const AnalysisOptions& options);

// What happened and is not in the trace.
std::vector<std::string> gaps_of(const Analysed& trace);
// Was everything seen that could have changed the answer? No: recording stopped, a limit was reached, code that was not
// recorded or order that is only possible keeps apart what nothing else does.
bool is_complete(const Analysed& trace);

// Where traces come from: how many recordings of the program they are of, and what of them there is no trace of.
struct Recorded {
  unsigned runs = 1;
  std::vector<std::string> not_looked_at;  // "bank (12345): why"
};

// The report of one or more traces on `out`, the files and the figures of --stats. A race that is in several of them is
// shown once, with the first.
Status show(const std::vector<Analysed>& traces, const AnalysisOptions& options, std::FILE* out,
            const Recorded& recorded = {});

// analyse_for_report(), then show() on standard output. Returns the exit code.
Result<int> analyse_and_report(const analysis::Input& input, const std::string& name, const AnalysisOptions& options);

}  // namespace racecast::cli
