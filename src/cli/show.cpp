// The report of one or more analysed traces (pipeline.h): as data, with all names, then as text and JSON; the racy
// events, the figures of --stats. Which race is shown with which trace is decided here; how it looks is report/'s.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>
#include <string_view>

#include "base/file.h"
#include "base/printable.h"
#include "cli/command.h"
#include "cli/pipeline.h"
#include "cli/source_lines.h"
#include "report/render.h"
#include "report/resolve.h"

namespace racecast::cli {

namespace {

std::string racy_events_text(const std::vector<Analysed>& traces, const std::vector<std::string>& names) {
  std::string text =
      "# analysis, event: every event that the analysis finds unordered with an earlier conflicting one\n";
  for (const Analysed& trace : traces) {
    if (traces.size() > 1) text += fmt::format("# {}\n", trace.name);
    for (std::size_t i = 0; i < names.size(); ++i)
      for (const EventNo event : trace.outputs.by_analysis[i].racy.events)
        text += fmt::format("{} {}\n", names[i], index(event));
  }
  return text;
}

std::string stats_text(const Analysed& analysed, const std::vector<std::string>& names) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto events = static_cast<double>(analysed.outputs.events);
  std::string text = "analysis       racy events   racy locations   pairs of locations\n";
  for (std::size_t i = 0; i < names.size(); ++i) {
    const analysis::Output& output = analysed.outputs.by_analysis[i];
    text += fmt::format("{:<14} {:>11}   {:>14}   {:>18}\n", names[i], output.racy.count, output.racy.locations,
                        output.findings.size() + output.candidates.size());
  }
  for (std::size_t i = 0; i < names.size(); ++i)
    for (const analysis::Figure& figure : analysed.outputs.by_analysis[i].figures)
      text += fmt::format("{}: {:<32} {:>14}\n", names[i], figure.name, figure.value);
  for (const auto& [name, times] : analysed.uncertain.everything)
    text += fmt::format("orders everything: {:<27} {:>10}\n", printable(name), times);
  text += fmt::format(
      "events           {}\nthreads          {}\nseconds          {:.3f}\nevents/second    {:.0f} (all rounds, "
      "schedules "
      "and their judgement included)\npeak memory      {} KiB\n",
      analysed.outputs.events, analysed.outputs.definitions.threads.size(), analysed.seconds,
      analysed.seconds > 0 ? events / analysed.seconds : 0.0, usage.ru_maxrss);
  return text;
}

// What was not looked at, by any analysis, because it is not in the trace; else empty.
std::string gaps_text(const Analysed& analysed) {
  std::string text;
  for (const std::string& gap : gaps_of(analysed)) text += (text.empty() ? "" : "; ") + gap;
  return text;
}

// Whom order that is only possible goes through.
std::string everything_text(const Analysed& analysed) {
  if (analysed.uncertain.everything.empty()) return "other processes, or full pipes";
  std::string text = "calls that order everything:";
  for (const auto& [name, times] : analysed.uncertain.everything)
    text += fmt::format(" {} ({})", printable(name), times);
  return text;
}

std::vector<report::AnalysisSummary> summaries_of(const Analysed& analysed, const std::vector<std::string>& names) {
  std::vector<report::AnalysisSummary> summaries;
  const std::string gaps = gaps_text(analysed);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const analysis::Output& output = analysed.outputs.by_analysis[i];
    const std::string both = output.limit.empty() || gaps.empty() ? "" : "; ";
    summaries.push_back({names[i],
                         output.racy.count,
                         output.racy.locations,
                         output.findings.size() + output.candidates.size(),
                         output.complete && gaps.empty(),
                         fmt::format("{}{}{}", output.limit, both, gaps),
                         {}});
    for (const analysis::Figure& figure : output.figures)
      summaries.back().figures.emplace_back(figure.name, figure.value);
  }
  return summaries;
}

// Those of `all` whose fingerprint is not in `known`, which grows. A dependent race whose parent is left out, because
// an earlier trace has it, stands alone.
std::vector<finding::Group> not_yet_shown(const std::vector<finding::Group>& all, std::set<std::uint64_t>& known) {
  std::vector<finding::Group> shown;
  std::vector<std::optional<std::size_t>> place(all.size());
  // Two reads of one trace may have the same fingerprint: only other traces make them known.
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (known.contains(all[i].fingerprint)) continue;
    place[i] = shown.size();
    shown.push_back(all[i]);
  }
  for (finding::Group& finding : shown)
    if (finding.depends_on) finding.depends_on = place[*finding.depends_on];
  for (const finding::Group& finding : all) known.insert(finding.fingerprint);
  return shown;
}

// In how many runs each finding was made, by fingerprint.
std::map<std::uint64_t, unsigned> count_runs(const std::vector<Analysed>& traces) {
  std::map<std::uint64_t, std::set<unsigned>> runs;
  for (const Analysed& trace : traces)
    for (const finding::Group& finding : trace.findings) runs[finding.fingerprint].insert(trace.run);
  std::map<std::uint64_t, unsigned> counts;
  for (const auto& [fingerprint, in] : runs) counts[fingerprint] = static_cast<unsigned>(in.size());
  return counts;
}

void print_to(std::FILE* out, const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), out);
}

void say_what_is_left(const Analysed& trace, const report::Part& part, const AnalysisOptions& options, std::FILE* out) {
  if (!trace.candidates.empty() && options.candidates)
    print_to(out, report::candidates(part.candidates, options.verbose));
  else if (!trace.candidates.empty())
    note(
        fmt::format("{} more candidate{} (pairs that may be ordered in a way that the analysis does not see; not "
                    "findings): --candidates lists them",
                    part.candidate_count, part.candidate_count == 1 ? "" : "s"));
  const auto not_everything = [](const std::string& why) {
    note(fmt::format("not everything was looked at: {}; what is not listed is unknown", printable(why)));
  };
  if (options.missing == trace::MissingMode::Ignore)
    note("--missing ignore: code that was not recorded counts as nothing; findings may be false alarms");
  if (options.missing == trace::MissingMode::Barrier)
    note("--missing barrier: code that was not recorded orders everything; races may be hidden");
  for (const analysis::Output& output : trace.outputs.by_analysis)
    if (!output.complete) not_everything(output.limit);
  // Where no race was found, the line that says so has said it.
  const bool said = part.races && trace.findings.empty();
  if (const std::string gaps = gaps_text(trace); !gaps.empty() && !said) not_everything(gaps);
  if (const std::size_t pairs = trace.uncertain.pairs; pairs != 0)
    note(
        fmt::format("{} pair{} of places may race: only order that there may be, and perhaps is not, keeps {} apart "
                    "(through {}; docs/recording.md)",
                    pairs, pairs == 1 ? "" : "s", pairs == 1 ? "it" : "them", everything_text(trace)));
}

// `findings`: those of the trace that are to be shown.
report::Part part_of(const Analysed& trace, const std::vector<finding::Group>& findings, const AnalysisOptions& options,
                     const report::Origin& origin) {
  report::Part part;
  part.input = trace.name;
  part.reads = analysis::any_yields(options.analyses, analysis::Yields::Reads);
  part.races = analysis::any_yields(options.analyses, analysis::Yields::Races);
  part.analyses = summaries_of(trace, options.analyses);
  part.complete = std::ranges::all_of(part.analyses, &report::AnalysisSummary::complete);
  part.findings = report::resolve(trace.pairs, findings, origin);
  part.candidate_count = trace.candidate_groups.size();
  part.uncertain.pairs = trace.uncertain.pairs;
  part.uncertain.everything.assign(trace.uncertain.everything.begin(), trace.uncertain.everything.end());
  part.hidden = {trace.hidden.pairs, trace.hidden.all, {}};
  part.hidden.functions.assign(trace.hidden.functions.begin(), trace.hidden.functions.end());
  part.gaps = gaps_of(trace);
  if (options.candidates || options.json)
    part.candidates = report::resolve(trace.candidates, trace.candidate_groups, origin);
  return part;
}

// A race that several traces have is in the part of the first.
report::Report report_of(const std::vector<Analysed>& traces, const AnalysisOptions& options,
                         const Recorded& recorded) {
  const unsigned runs = recorded.runs;
  SourceLines lines(options.source_root, options.trust_paths);
  const std::map<std::uint64_t, unsigned> seen_in = runs > 1 ? count_runs(traces) : std::map<std::uint64_t, unsigned>();
  report::Report report;
  report.runs = runs;
  report.not_looked_at = recorded.not_looked_at;
  report.complete = recorded.not_looked_at.empty() && std::ranges::all_of(traces, is_complete);
  std::set<std::uint64_t> known;
  for (const Analysed& trace : traces) {
    const report::Origin origin{.definitions = trace.outputs.definitions,
                                .events = &trace.events,
                                .look = &trace.look,
                                .source_line = std::ref(lines),
                                .folder = lines.folder(),
                                .seen_in = seen_in,
                                .write_out = options.json.has_value()};
    report.parts.push_back(part_of(trace, not_yet_shown(trace.findings, known), options, origin));
    if (const std::size_t count = recorded.not_looked_at.size(); count != 0)
      report.parts.back().gaps.push_back(
          fmt::format("not looked at: {} other process{}", count, count == 1 ? "" : "es"));
  }
  return report;
}

}  // namespace

Status show(const std::vector<Analysed>& traces, const AnalysisOptions& options, std::FILE* out,
            const Recorded& recorded) {
  const bool colour = isatty(fileno(out)) != 0 && std::getenv("NO_COLOR") == nullptr;
  const report::Report report = report_of(traces, options, recorded);
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const report::Part& part = report.parts[i];
    const bool repeats = part.findings.empty() && !traces[i].findings.empty();
    if (traces.size() > 1)
      print_to(out,
               fmt::format("== {}{}\n", printable(part.input), repeats ? ": only races that are listed above" : ""));
    print_to(out, repeats ? report::hidden_line(part.hidden, options.verbose)
                          : report::text(part, {recorded.runs, colour, options.verbose}));
    say_what_is_left(traces[i], part, options, out);
    if (options.stats) print_to(out, stats_text(traces[i], options.analyses));
  }
  if (options.json) RC_TRY_STATUS(write_file(*options.json, report::json(report)));
  if (options.racy_events) RC_TRY_STATUS(write_file(*options.racy_events, racy_events_text(traces, options.analyses)));
  return {};
}

}  // namespace racecast::cli
