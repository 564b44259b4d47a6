#include "cli/pipeline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <set>
#include <thread>

#include "analysis/unseen/assumptions.h"
#include "base/progress.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/source_lines.h"
#include "recording/merge.h"
#include "report/resolve.h"
#include "trace/trace.h"

namespace racecast::cli {

namespace {

// What the rows of single analyses take. An option that several take is one.
void add_own_options(Command& command, analysis::OwnOptions& own) {
  std::map<std::string_view, std::pair<const analysis::NumberOption*, std::string>> takers;
  for (const analysis::Analysis& a : analysis::analyses())
    for (const analysis::NumberOption& option : a.options) {
      auto& [row, names] = takers[option.flag];
      row = &option;
      names += fmt::format("{}{}", names.empty() ? "" : ", ", a.name);
    }
  for (const auto& [flag, taken] : takers) {
    const auto& [row, names] = taken;
    command
        .add_number(
            std::string(flag), [&own, set = row->set](std::uint64_t number) { set(number, own); },
            fmt::format("{}: {}", names, row->help))
        ->type_name("N")
        ->default_str("0")
        ->range(std::uint64_t{0}, row->most);
  }
}

}  // namespace

void add_choice_of_analyses(Command& command, AnalysisOptions& options) {
  std::string names;
  for (const analysis::Analysis& a : analysis::analyses())
    names += fmt::format("{}{}: {}", names.empty() ? "" : "; ", a.name, a.summary);
  command.add_option("--analysis", options.analyses, "analyses, separated by commas (" + names + ")")
      ->delimiter(',')
      ->allow_extra_args(false)  // the next word is the file
      ->type_name("NAME[,NAME...]")
      ->default_str(fmt::format("{}", fmt::join(analysis::default_analyses(), ",")))
      ->check([](const std::string& name) {
        return analysis::find_analysis(name) != nullptr ? std::string() : "there is no analysis " + name;
      });
  add_own_options(command, options.own);
  command
      .add_option(
          "--budget", options.budget,
          "seconds that the analyses of a trace may take (0: no limit); what promises most is looked at first, and "
          "what is left is said")
      ->type_name("SECONDS")
      ->default_val(300)
      ->range(std::uint64_t{0}, std::uint64_t{1'000'000'000});
  command
      .add_option("--memory", options.memory,
                  "megabytes that they may take (0: no limit; if not said: half of what is free): windows are smaller "
                  "where there is less, and what is left is said")
      ->type_name("MB")
      ->range(std::uint64_t{0}, std::uint64_t{1} << 40);
  command
      .add_option(
          "--missing", [&options](const std::string& name) { options.missing = *trace::missing_mode_of(name); },
          "code that was not recorded keeps its order with what it can reach (reach); for comparison, with "
          "everything (barrier: hides races) or with nothing (ignore: unsound, gives false alarms)")
      ->type_name("reach|barrier|ignore")
      ->default_str("reach")
      ->check([](const std::string& name) {
        return trace::missing_mode_of(name) ? std::string()
                                            : fmt::format(
                                                  "there is no way `{}` to take missing code; there are "
                                                  "reach, barrier and ignore",
                                                  name);
      });
}

Limits limits_of(const AnalysisOptions& options) {
  std::optional<Limits::Clock::duration> time;
  if (options.budget != 0) time = std::chrono::seconds(options.budget);
  constexpr std::uint64_t kMegabyte = 1'000'000;
  if (options.memory) return {time, *options.memory * kMegabyte};
  const std::uint64_t available = memory_available();
  return {time, available == 0 ? 0 : memory_used() + available / 2};
}

void add_analysis_options(Command& command, AnalysisOptions& options) {
  add_choice_of_analyses(command, options);
  command.add_option("--json", options.json, "write the findings to this file as JSON (docs/json.md)")
      ->type_name("FILE");
  command
      .add_option("--racy-events", options.racy_events,
                  "write to this file every event that an analysis finds unordered with an earlier one")
      ->type_name("FILE");
  add_source_root(command, options.source_root);
  command.add_flag("--verbose", options.verbose,
                   "list all pairs of accesses of a finding, and the races that hang on it, and show whole stacks and "
                   "names, those of libraries too");
  command.add_flag(
      "--candidates", options.candidates,
      "also list what an analysis suspects but cannot be sure of (lockset, hybrid, later wcp and cp races)");
  command.add_option("--jobs,-j", options.jobs, "threads to use; the answer does not depend on it (0: one per core)")
      ->type_name("N")
      ->default_val(0)
      ->range(0, 1024);
  command.add_flag(
      "--stats", options.stats,
      "print racy events, racy locations and pairs of each analysis, what maximal and value did, events per second "
      "and peak memory");
  command.add_flag(
      "--fail-incomplete", options.fail_incomplete,
      "exit code 4 (of a program that is run: 67) where nothing was found, but something was not seen that "
      "could have changed that: recording stopped, a limit was reached, code was not recorded that "
      "may hide races");
}

Result<Analysed> analyse(const analysis::Input& input_without_progress, const std::vector<std::string>& names) {
  Progress progress("analysing", "events");
  analysis::Input input = input_without_progress;
  input.progress = [&](std::uint64_t events) { progress.update(events); };
  input.only_new = true;
  Analysed analysed;
  RC_TRY(analysed.outputs, analysis::run(input, names));
  const trace::Definitions& definitions = analysed.outputs.definitions;
  std::vector<finding::Finding> all, candidates;
  for (analysis::Output& output : analysed.outputs.by_analysis) {
    if (!output.rejected.empty()) {
      const std::string what = fmt::format("{} (and {} more); please report this with the trace",
                                           output.rejected.front(), output.rejected.size() - 1);
      // Tests must not pass over it; a user is told, and keeps what was found.
      if (std::getenv("RACECAST_STRICT") != nullptr) return internal_error(what);
      output.complete = false;
      if (!output.limit.empty()) output.limit += "; ";
      output.limit += "a bug of racecast: " + what;
    }
    all.insert(all.end(), output.findings.begin(), output.findings.end());
    candidates.insert(candidates.end(), output.candidates.begin(), output.candidates.end());
  }
  analysed.pairs = finding::merge(std::move(all), definitions);
  RC_TRY_STATUS(analysis::refine(input, names, analysed.outputs, analysed.pairs));
  std::set<std::pair<std::uint64_t, std::uint64_t>> found;
  for (const finding::Finding& pair : analysed.pairs) found.insert(finding::places_of(pair, definitions));
  std::erase_if(candidates,
                [&](const auto& candidate) { return found.contains(finding::places_of(candidate, definitions)); });
  analysed.candidates = finding::merge(std::move(candidates), definitions);
  return analysed;
}

Result<Analysed> analyse_and_group(const analysis::Input& input, const std::vector<std::string>& names) {
  RC_TRY(Analysed analysed, analyse(input, names));
  const trace::Definitions& definitions = analysed.outputs.definitions;
  std::vector<finding::Finding> all = analysed.pairs;
  all.insert(all.end(), analysed.candidates.begin(), analysed.candidates.end());
  RC_TRY(analysed.look, report::look_again(input, all, definitions));
  const report::Origin origin{.definitions = definitions, .look = &analysed.look};
  analysed.findings = report::group_by_cause(analysed.pairs, origin);
  analysed.candidate_groups = report::group_by_cause(analysed.candidates, origin);
  return analysed;
}

namespace {

// Longer schedules are not written out: their length per thread, or their context switches, say the same.
constexpr std::uint64_t kMaxWrittenOut = 100'000;

// The events that written-out schedules refer to; only needed where there is one.
Result<std::vector<trace::Event>> events_for_schedules(const analysis::Input& input, const Analysed& analysed) {
  std::uint64_t end = 0;
  for (const finding::Group& finding : analysed.findings) {
    const finding::Finding& pair = analysed.pairs[finding.pairs.front()];
    if (!pair.schedule || pair.events != nullptr) continue;
    std::uint64_t own = index(pair.second.event) + 1;
    if (const auto* interleaving = std::get_if<finding::Interleaving>(&*pair.schedule))
      own = std::max(own, interleaving->end);
    if (own <= kMaxWrittenOut) end = std::max(end, own);
  }
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

// Are all races that hb has among those that were found?
bool all_of_hb(const AnalysisOptions& options, const Analysed& analysed) {
  const auto hb = std::ranges::find(options.analyses, "hb");
  return hb != options.analyses.end() &&
         analysed.outputs.by_analysis[static_cast<std::size_t>(hb - options.analyses.begin())].complete;
}

}  // namespace

Result<Analysed> analyse_for_report(const analysis::Input& input_of_trace, const std::string& name,
                                    const AnalysisOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  analysis::Input input = input_of_trace;
  input.jobs = options.jobs != 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  input.keep_racy_events = options.racy_events.has_value();
  input.own = options.own;
  input.limits = limits_of(options);
  input.open = trace::with_missing_mode(input.open, options.missing);
  RC_TRY(Analysed analysed, analyse_and_group(input, options.analyses));
  analysed.name = name;
  analysed.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  RC_TRY(analysed.events, events_for_schedules(input, analysed));
  RC_TRY(analysed.uncertain, uncertain_order(input, options.analyses, analysed.outputs));
  if (options.missing == trace::MissingMode::Reach && analysed.outputs.facts.has_missing &&
      analysis::any_yields(options.analyses, analysis::Yields::Races)) {
    RC_TRY(analysed.hidden,
           analysis::unseen::hidden_by_missing_code(input, analysed.pairs, all_of_hb(options, analysed)));
    std::vector<std::size_t> shown;
    for (const finding::Group& finding : analysed.findings)
      if (!analysed.pairs[finding.pairs.front()].seen) shown.push_back(finding.pairs.front());
    RC_TRY_STATUS(analysis::unseen::find_assumptions(input, analysed.pairs, shown));
  }
  // Nobody has looked at what such a barrier hides.
  if (options.missing == trace::MissingMode::Barrier && analysed.outputs.facts.has_missing) analysed.hidden.all = false;
  return analysed;
}

std::vector<std::string> gaps_of(const Analysed& trace) {
  std::vector<std::string> gaps = recording::gaps_of(trace.outputs.definitions);
  if (trace.still_runs) gaps.emplace_back("the process still runs");
  return gaps;
}

bool is_complete(const Analysed& trace) {
  return trace.hidden.pairs == 0 && trace.hidden.all && trace.uncertain.pairs == 0 && gaps_of(trace).empty() &&
         std::ranges::all_of(trace.outputs.by_analysis, &analysis::Output::complete);
}

Result<int> analyse_and_report(const analysis::Input& input, const std::string& name, const AnalysisOptions& options) {
  std::vector<Analysed> traces;
  RC_TRY(traces.emplace_back(), analyse_for_report(input, name, options));
  RC_TRY_STATUS(show(traces, options, stdout));
  if (!traces.front().findings.empty()) return kFindings;
  return options.fail_incomplete && !is_complete(traces.front()) ? kIncomplete : kNothingFound;
}

}  // namespace racecast::cli
