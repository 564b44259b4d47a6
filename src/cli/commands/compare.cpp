#include "cli/commands/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iterator>
#include <set>
#include <thread>

#include "base/file.h"
#include "cli/command.h"
#include "model/symbolic/event_counts.h"
#include "report/comparison.h"

namespace racecast::cli {

namespace {

// Of a longer trace base reads are not counted: all of its nodes are in memory for that. `value` relaxes nothing there
// either (window/windows.h).
constexpr std::uint64_t kMaxWalked = std::uint64_t{1} << 21;

using PlacesSet = std::set<finding::Places>;

struct Ran {
  report::ComparedAnalysis shown;
  PlacesSet races;
};

// Counts, and keeps the trace if base reads can be counted in it. (Also, the file is in memory then, and the first
// analysis does not pay for that.)
Result<trace::Trace> count(const analysis::Input& input, model::EventCounts& counts) {
  RC_TRY(const auto source, input.open());
  model::EventCounter counter;
  trace::Trace trace;
  for (;;) {
    RC_TRY(const auto batch, source->next());
    if (batch.empty()) break;
    counter.add(batch);
    if (counter.counts().events <= kMaxWalked)
      trace.events.insert(trace.events.end(), batch.begin(), batch.end());
    else
      trace.events = {};
  }
  counts = counter.counts();
  trace.definitions = source->definitions();
  return trace;
}

// The analysis alone: it leaves out nothing that another one has found.
Result<Ran> run_alone(const analysis::Input& input, const std::string& name, const std::string& in_paper) {
  Ran ran;
  ran.shown.name = name;
  ran.shown.in_paper = in_paper;
  if (analysis::find_analysis(name) == nullptr) return ran;
  const auto start = std::chrono::steady_clock::now();
  RC_TRY(const Analysed analysed, analyse(input, {name}));
  ran.shown.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (const finding::Finding& finding : analysed.pairs)
    ran.races.insert(finding::places_of(finding, analysed.outputs.definitions));
  ran.shown.races = ran.races.size();
  ran.shown.complete = analysed.outputs.by_analysis.front().complete;
  ran.shown.limit = analysed.outputs.by_analysis.front().limit;
  if (!ran.shown.complete)
    note(fmt::format("{}: not everything was looked at: {}; what is not counted is unknown", name, ran.shown.limit));
  return ran;
}

// How many of `a` are not in `b`.
std::uint64_t count_without(const PlacesSet& a, const PlacesSet& b) {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(a, [&](const finding::Places& places) { return !b.contains(places); }));
}

// maximal ⊆ value ⊆ path
Status check_law(const Ran& less, const Ran& more) {
  const std::uint64_t lost = more.shown.races ? count_without(less.races, more.races) : 0;
  if (lost == 0) return {};
  const std::string what = fmt::format(
      "{} finds {} pair{} of places that {} does not find: a bug of racecast; please report this with the "
      "trace",
      less.shown.name, lost, lost == 1 ? "" : "s", more.shown.name);
  if (std::getenv("RACECAST_STRICT") != nullptr) return internal_error(what);
  note(what);
  return {};
}

}  // namespace

Result<int> compare_and_report(const analysis::Input& input_of_trace, const std::string& name,
                               const AnalysisOptions& options) {
  report::Comparison comparison;
  comparison.input = name;
  analysis::Input input = input_of_trace;
  input.jobs = options.jobs != 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  input.own = options.own;
  input.limits = limits_of(options);
  input.open = trace::with_missing_mode(input.open, options.missing);
  RC_TRY(const trace::Trace trace, count(input_of_trace, comparison.counts));
  RC_TRY(const Ran maximal, run_alone(input, "maximal", "RV"));
  RC_TRY(const Ran value, run_alone(input, "value", "RECIPE-s"));
  RC_TRY(const Ran path, run_alone(input, "path", "RECIPE"));
  // Now the trace is known to be valid: the analyses have checked it.
  if (trace.definitions.program != nullptr && trace.events.size() == comparison.counts.events) {
    RC_TRY(const model::SymbolicTrace symbols, model::SymbolicTrace::make(trace));
    comparison.base_reads = model::count_base_reads(symbols);
  }
  comparison.analyses = {value.shown, path.shown, maximal.shown};
  if (path.shown.races) {
    comparison.diff = count_without(path.races, maximal.races);
    comparison.diff_reversed = count_without(maximal.races, path.races);
  }
  if (options.json) RC_TRY_STATUS(write_file(*options.json, report::comparison_json(comparison)));
  print(report::comparison_text(comparison));
  RC_TRY_STATUS(check_law(maximal, value));
  RC_TRY_STATUS(check_law(maximal, path));
  RC_TRY_STATUS(check_law(value, path));
  const bool found = !maximal.races.empty() || !value.races.empty() || !path.races.empty();
  return found ? kFindings : kNothingFound;
}

}  // namespace racecast::cli
