#include "cli/pipeline.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <set>
#include <thread>

#include "analysis/hb/dependent.h"
#include "base/file.h"
#include "base/progress.h"
#include "cli/command.h"
#include "report/report.h"
#include "trace/trace.h"

namespace racecast::cli {

void add_analysis_options(CLI::App& command, AnalysisOptions& options) {
  std::string names;
  for (const analysis::Analysis& a : analysis::analyses())
    names += fmt::format("{}{}: {}", names.empty() ? "" : "; ", a.name, a.summary);
  command.add_option("--analysis", options.analyses, "analyses, separated by commas (" + names + ")")
      ->delimiter(',')
      ->type_name("NAME[,NAME...]")
      ->default_str("hb,shb,syncp")
      ->check([](const std::string& name) {
        return analysis::find_analysis(name) != nullptr ? std::string() : "there is no analysis " + name;
      });
  command.add_option("--json", options.json, "write the findings to this file as JSON (docs/json.md)")
      ->type_name("FILE");
  command
      .add_option("--racy-events", options.racy_events,
                  "write to this file every event that an analysis finds unordered with an earlier one")
      ->type_name("FILE");
  command.add_flag(
      "--candidates", options.candidates,
      "also list what an analysis suspects but cannot be sure of (lockset, hybrid, later wcp and cp races)");
  command.add_option("--jobs,-j", options.jobs, "threads to use; the answer does not depend on it (0: one per core)")
      ->type_name("N")
      ->default_val(0)
      ->check(CLI::Range(0, 1024));
  command.add_flag("--stats", options.stats,
                   "print racy events, racy locations and pairs of each analysis, events per second and peak memory");
}

Result<Analysed> analyse(const analysis::Input& input_without_progress, const std::vector<std::string>& names) {
  Progress progress("analysing", "events");
  analysis::Input input = input_without_progress;
  input.progress = [&](std::uint64_t events) { progress.update(events); };
  Analysed analysed;
  RC_TRY(analysed.outputs, analysis::run(input, names));
  const trace::Definitions& definitions = analysed.outputs.definitions;
  std::vector<finding::Finding> all, candidates;
  for (analysis::Output& output : analysed.outputs.by_analysis) {
    if (!output.rejected.empty())
      return internal_error(fmt::format("{} (and {} more); please report this with the trace", output.rejected.front(),
                                        output.rejected.size() - 1));
    all.insert(all.end(), output.findings.begin(), output.findings.end());
    candidates.insert(candidates.end(), output.candidates.begin(), output.candidates.end());
  }
  analysed.findings = finding::merge(std::move(all), definitions);
  const auto asked_for = [&](const char* name) { return std::find(names.begin(), names.end(), name) != names.end(); };
  if (asked_for("hb") && asked_for("shb"))
    RC_TRY_STATUS(analysis::file_dependent_races(input, analysed.outputs, analysed.findings));
  std::set<std::pair<std::uint64_t, std::uint64_t>> found;
  for (const finding::Finding& finding : analysed.findings) found.insert(finding::places_of(finding, definitions));
  std::erase_if(candidates,
                [&](const auto& candidate) { return found.contains(finding::places_of(candidate, definitions)); });
  analysed.candidates = finding::merge(std::move(candidates), definitions);
  return analysed;
}

namespace {

// Longer schedules are not written out: their length per thread says the same.
constexpr std::uint64_t kMaxWrittenOut = 100'000;

// The events that written-out schedules refer to; only needed where there is one.
Result<std::vector<trace::Event>> events_for_schedules(const analysis::Input& input, const Analysed& analysed) {
  std::uint64_t end = 0;
  for (const finding::Finding& finding : analysed.findings)
    if (finding.schedule && index(finding.second.event) < kMaxWrittenOut)
      end = std::max<std::uint64_t>(end, index(finding.second.event) + 1);
  std::vector<trace::Event> events;
  if (end == 0) return events;
  RC_TRY(auto source, input.open());
  while (events.size() < end) {
    RC_TRY(const auto batch, source->next());
    if (batch.empty()) break;
    const std::size_t count = std::min<std::size_t>(batch.size(), end - events.size());
    events.insert(events.end(), batch.begin(), batch.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return events;
}

std::string racy_events_text(const Analysed& analysed, const std::vector<std::string>& names) {
  std::string text =
      "# analysis, event: every event that the analysis finds unordered with an earlier conflicting one\n";
  for (std::size_t i = 0; i < names.size(); ++i)
    for (const EventNo event : analysed.outputs.by_analysis[i].racy.events)
      text += fmt::format("{} {}\n", names[i], index(event));
  return text;
}

void print_stats(const Analysed& analysed, const std::vector<std::string>& names, double seconds) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto events = static_cast<double>(analysed.outputs.events);
  std::string text = "analysis       racy events   racy locations   pairs of locations\n";
  for (std::size_t i = 0; i < names.size(); ++i) {
    const analysis::Output& output = analysed.outputs.by_analysis[i];
    text += fmt::format("{:<14} {:>11}   {:>14}   {:>18}\n", names[i], output.racy.count, output.racy.locations,
                        output.findings.size() + output.candidates.size());
  }
  text += fmt::format(
      "events           {}\nthreads          {}\nseconds          {:.3f}\nevents/second    {:.0f} (all rounds, "
      "schedules "
      "and their judgement included)\npeak memory      {} KiB\n",
      analysed.outputs.events, analysed.outputs.definitions.threads.size(), seconds,
      seconds > 0 ? events / seconds : 0.0, usage.ru_maxrss);
  print(text);
}

void print_candidates(const Analysed& analysed, const report::Context& context, bool wanted) {
  if (analysed.candidates.empty()) return;
  if (wanted)
    print(report::candidates(analysed.candidates, context));
  else
    note(
        fmt::format("{} more candidate{} (pairs that may be ordered in a way that the analysis does not see; not "
                    "findings): --candidates lists them",
                    analysed.candidates.size(), analysed.candidates.size() == 1 ? "" : "s"));
}

}  // namespace

Result<int> analyse_and_report(const analysis::Input& input_of_trace, const std::string& name,
                               const AnalysisOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  analysis::Input input = input_of_trace;
  input.jobs = options.jobs != 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  input.keep_racy_events = options.racy_events.has_value();
  RC_TRY(const Analysed analysed, analyse(input, options.analyses));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  RC_TRY(const std::vector<trace::Event> events, events_for_schedules(input, analysed));
  const bool colour = isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
  const report::Context context{analysed.outputs.definitions, &events, name, colour};
  print(report::text(analysed.findings, context));
  print_candidates(analysed, context, options.candidates);
  for (const analysis::Output& output : analysed.outputs.by_analysis)
    if (!output.complete)
      note(fmt::format("not everything was looked at: {}; what is not listed is unknown", output.limit));
  if (options.json) {
    std::vector<report::AnalysisSummary> summaries;
    for (std::size_t i = 0; i < options.analyses.size(); ++i) {
      const analysis::Output& output = analysed.outputs.by_analysis[i];
      summaries.push_back({options.analyses[i], output.racy.count, output.racy.locations,
                           output.findings.size() + output.candidates.size(), output.complete, output.limit});
    }
    RC_TRY_STATUS(write_file(*options.json, report::json(analysed.findings, analysed.candidates, summaries, context)));
  }
  if (options.racy_events)
    RC_TRY_STATUS(write_file(*options.racy_events, racy_events_text(analysed, options.analyses)));
  if (options.stats) print_stats(analysed, options.analyses, took.count());
  return analysed.findings.empty() ? kNothingFound : kFindings;
}

}  // namespace racecast::cli
