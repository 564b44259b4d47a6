#include "cli/pipeline.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdlib>

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
      ->default_str("hb,shb")
      ->check([](const std::string& name) {
        return analysis::find_analysis(name) != nullptr ? std::string() : "there is no analysis " + name;
      });
  command.add_option("--json", options.json, "write the findings to this file as JSON (docs/json.md)")
      ->type_name("FILE");
  command.add_flag("--stats", options.stats, "print events, threads, events per second and peak memory");
}

Result<Analysed> analyse(const analysis::Input& input_without_progress, const std::vector<std::string>& names) {
  Progress progress("analysing", "events");
  analysis::Input input = input_without_progress;
  input.progress = [&](std::uint64_t events) { progress.update(events); };
  Analysed analysed;
  std::vector<finding::Finding> all;
  for (const std::string& name : names) {
    const analysis::Analysis* analysis = analysis::find_analysis(name);
    if (analysis == nullptr) return bad_input(fmt::format("there is no analysis {}", name));
    RC_TRY(analysis::Output output, analysis->run(input));
    if (!output.rejected.empty())
      return internal_error(fmt::format("{} (and {} more); please report this with the trace", output.rejected.front(),
                                        output.rejected.size() - 1));
    const std::size_t before = all.size();
    for (finding::Finding& finding : output.findings) {
      if (finding.depends_on) *finding.depends_on += before;
      all.push_back(std::move(finding));
    }
    analysed.definitions = output.definitions;
    analysed.outputs.push_back(std::move(output));
  }
  analysed.findings = finding::merge(std::move(all), analysed.definitions);
  return analysed;
}

namespace {

// The events that schedules refer to; only needed where there is one.
Result<std::vector<trace::Event>> events_for_schedules(const analysis::Input& input, const Analysed& analysed) {
  std::uint64_t end = 0;
  for (const finding::Finding& finding : analysed.findings)
    if (finding.schedule) end = std::max<std::uint64_t>(end, index(finding.second.event) + 1);
  std::vector<trace::Event> events;
  RC_TRY(auto source, input.open());
  while (events.size() < end) {
    RC_TRY(const auto batch, source->next());
    if (batch.empty()) break;
    events.insert(events.end(), batch.begin(), batch.end());
  }
  return events;
}

void print_stats(const Analysed& analysed, double seconds) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const std::uint64_t events = analysed.outputs.empty() ? 0 : analysed.outputs.front().events;
  const auto total = static_cast<double>(events * analysed.outputs.size());
  print(
      fmt::format("events           {}\nthreads          {}\nanalyses         {}\nseconds          {:.3f}\n"
                  "events/second    {:.0f} (all passes of all analyses)\npeak memory      {} KiB\n",
                  events, analysed.definitions.threads.size(), analysed.outputs.size(), seconds,
                  seconds > 0 ? total / seconds : 0.0, usage.ru_maxrss));
}

}  // namespace

Result<int> analyse_and_report(const analysis::Input& input, const std::string& name, const AnalysisOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  RC_TRY(const Analysed analysed, analyse(input, options.analyses));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  RC_TRY(const std::vector<trace::Event> events, events_for_schedules(input, analysed));
  const bool colour = isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
  const report::Context context{analysed.definitions, &events, name, colour};
  print(report::text(analysed.findings, context));
  for (const analysis::Output& output : analysed.outputs)
    if (!output.complete)
      note(fmt::format("not everything was looked at: {}; what is not listed is unknown", output.limit));
  if (options.json) RC_TRY_STATUS(write_file(*options.json, report::json(analysed.findings, context)));
  if (options.stats) print_stats(analysed, took.count());
  return analysed.findings.empty() ? kNothingFound : kFindings;
}

}  // namespace racecast::cli
