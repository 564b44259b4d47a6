#include "cli/record/program_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>

#include "abi/abi.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/open_trace.h"
#include "cli/record/preload.h"
#include "cli/record/recordings.h"
#include "cli/record/run_program.h"

namespace racecast::cli {

namespace {

// CLI11 takes -5 for 2^64 - 5.
std::string refuse_sign(const std::string& text) {
  return text.starts_with('-') ? "not a positive number: " + text : std::string();
}

constexpr const char* kGroup = "Options for programs";
constexpr int kProgramIncomplete = 67;  // kIncomplete, of a program that was run

std::vector<std::pair<std::string, std::string>> environment_of(const ProgramOptions& options,
                                                                const std::string& folder, unsigned run) {
  std::vector<std::pair<std::string, std::string>> environment{{abi::kEnvFolder, folder}};
  environment.emplace_back(abi::kEnvExitWait, std::to_string(std::llround(options.exit_wait * 1000)));
  if (options.max_bytes) environment.emplace_back(abi::kEnvMaxBytes, std::to_string(*options.max_bytes));
  if (options.max_events) environment.emplace_back(abi::kEnvMaxEvents, std::to_string(*options.max_events));
  if (options.preload) {
    if (auto value = preload_for(options.words[0])) environment.emplace_back("LD_PRELOAD", *std::move(value));
  }
  if (options.seed) environment.emplace_back(abi::kEnvSeed, std::to_string(*options.seed + run - 1));
  return environment;
}

Result<Analysed> analyse_process(const RecordedProcess& process, const std::string& name,
                                 const AnalysisOptions& options) {
  analysis::Input input;
  input.name = process.path;
  input.check = true;
  input.open = [&]() -> Result<std::unique_ptr<trace::EventSource>> {
    RC_TRY(OpenedTrace opened, open_trace(process.path));
    return std::move(opened.source);
  };
  return analyse_for_report(input, name, options);
}

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

// Standard error, as the program's standard output is its own.
Result<File> open_report(const std::optional<std::string>& path) {
  if (!path) return File(stderr, [](std::FILE*) { return 0; });
  File file(std::fopen(path->c_str(), "w"), std::fclose);
  if (file == nullptr) return bad_input(fmt::format("{} cannot be written: {}", *path, std::strerror(errno)));
  return file;
}

// One run: the program's end, and the traces of its processes.
struct RunOnce {
  ProgramEnd end;
  RecordedProcesses processes;
};
Result<RunOnce> record_once(const ProgramOptions& options, RecordingFolder& folder, unsigned run) {
  RC_TRY(const std::string inside,
         options.runs == 1 ? Result<std::string>(folder.path()) : folder.inside(fmt::format("run{}", run)));
  RunOnce recorded;
  RC_TRY(recorded.end, run_program(options.words, environment_of(options, inside, run)));
  if (recorded.end.signal != 0)
    note(fmt::format("{} was killed by signal {} ({}); what it recorded before is looked at", options.words[0],
                     recorded.end.signal, strsignal(recorded.end.signal)));
  RC_TRY(recorded.processes, merge_processes(folder, inside, options.keep_raw, options.record_only));
  for (const std::string& process : recorded.processes.unreadable) note("not looked at: " + process);
  if (recorded.processes.merged.empty() && !recorded.processes.unreadable.empty())
    return bad_input(fmt::format("nothing of what {} recorded can be read", options.words[0]));
  if (recorded.processes.merged.empty())
    return bad_input(
        fmt::format("{} recorded nothing: it (and what it started) was not compiled with `racecast cc` or `racecast "
                    "c++`, or did not get as far as a shared access",
                    options.words[0]));
  return recorded;
}

}  // namespace

void add_program_options(Command& command, ProgramOptions& options, bool with_report) {
  const auto group = [](Option* option) { option->group(kGroup); };
  if (with_report) {
    group(command.add_flag("--record-only", options.record_only, "do not analyse; print the names of the traces"));
    group(command.add_option("--report", options.report, "write the report to this file, not to standard error")
              ->type_name("FILE"));
    group(command
              .add_option("--exit-code", options.exit_code,
                          "exit code where there are findings; 0: that of the program in any case")
              ->type_name("N")
              ->default_val(66)
              ->range(0, 255));
    group(command.add_flag("--keep", options.keep, "keep the traces, in a new folder racecast.out.N"));
    group(command.add_option("--out", options.out, "keep the traces, in this folder")->type_name("DIR"));
  }
  group(command.add_flag("!--no-preload", options.preload,
                         "do not load the runtime into programs that were not compiled with racecast (what they load "
                         "that was is then not recorded)"));
  group(command.add_flag("--keep-raw", options.keep_raw, "also keep the recordings that the traces were made of"));
  group(command
            .add_option(
                "--runs", options.runs,
                "record it so many times; with --seed each time in another order; races are listed once and counted")
            ->type_name("K")
            ->default_val(1)
            ->range(1, 100'000));
  group(command
            .add_option("--exit-wait", options.exit_wait,
                        "when main ends, let other threads go on so long, or until they have ended or wait for what "
                        "cannot come; 0: end at once")
            ->type_name("SECONDS")
            ->default_str("1")
            ->range(0.0, 86'400.0));
  group(command
            .add_option("--max-size", options.max_bytes,
                        "stop recording a process after so many bytes; the program goes on (suffixes K, M, G)")
            ->type_name("BYTES")
            ->check(refuse_sign)
            ->as_size(false));
  group(command
            .add_option("--max-events", options.max_events,
                        "the same, after about so many events (suffixes K, M, G; counted as 8 bytes each)")
            ->type_name("N")
            ->check(refuse_sign)
            ->as_size(true));
}

Status refuse_mixed_options(const Command& command, const ProgramOptions& options,
                            const std::vector<std::string>& litmus_only) {
  for (const Option* option : command.get_options()) {
    if (option->count() == 0) continue;
    const std::string name = option->get_name();
    if (options.words.empty() && option->get_group() == kGroup)
      return bad_input(
          fmt::format("{} is for programs: `racecast {} {} ... -- PROGRAM`", name, command.get_name(), name));
    if (options.words.empty()) continue;
    if (name == "FILE")
      return bad_input(fmt::format("{} comes before `--`: options do, the program and its arguments come behind it",
                                   option->results().front()));
    if (name == "--schedule" || std::find(litmus_only.begin(), litmus_only.end(), name) != litmus_only.end())
      return bad_input(fmt::format("{} is for litmus programs", name));
  }
  return {};
}

Result<int> record_and_report(const ProgramOptions& options, const AnalysisOptions& analysis_options) {
  AnalysisOptions analysis = analysis_options;
  analysis.trust_paths = true;
  RC_TRY(RecordingFolder folder, RecordingFolder::make(options.out, options.keep || options.record_only));
  RC_TRY(const File report, open_report(options.report));
  std::vector<Analysed> traces;
  std::vector<std::string> unreadable;
  int code = 0;
  unsigned runs = options.runs;
  for (unsigned run = 1; run <= runs; ++run) {
    Result<RunOnce> made = record_once(options, folder, run);
    if (!made && (run == 1 || made.error().kind != ErrorKind::BadInput)) return std::unexpected(made.error());
    if (!made) {
      // The runs before it are not lost.
      unreadable.push_back(fmt::format("run {} and those behind it: {}", run, made.error().message));
      note("not looked at: " + unreadable.back());
      runs = run - 1;
      break;
    }
    const RunOnce recorded = *std::move(made);
    if (code == 0) code = recorded.end.code;
    if (recorded.end.interrupted && run < runs) {
      note(fmt::format("interrupted; {} of {} runs were made", run, runs));
      runs = run;
    }
    unreadable.insert(unreadable.end(), recorded.processes.unreadable.begin(), recorded.processes.unreadable.end());
    for (const RecordedProcess& process : recorded.processes.merged) {
      const bool kept = options.record_only || options.keep || options.out;
      if (kept)
        std::fputs(fmt::format("racecast: {}: {} events in {}\n", process.name, process.events, process.path).c_str(),
                   stderr);
      if (options.record_only) continue;
      // A trace that is gone when the report is read is named by its process.
      const std::string which = options.runs > 1 ? fmt::format("run {}, {}", run, process.name) : process.name;
      RC_TRY(traces.emplace_back(), analyse_process(process, kept ? process.path : which, analysis));
      traces.back().run = run;
      traces.back().still_runs = process.still_runs;
    }
  }
  if (options.record_only) return code;
  RC_TRY_STATUS(show(traces, analysis, report.get(), {runs, unreadable}));
  // Whoever reads the report only must not take them for processes without races.
  if (options.report) {
    for (const std::string& process : unreadable)
      std::fputs(("not looked at: " + process + "\n").c_str(), report.get());
  }
  if (std::fflush(report.get()) != 0 || std::ferror(report.get()) != 0)
    return bad_input("the report could not be written");
  const bool found = std::any_of(traces.begin(), traces.end(), [](const Analysed& t) { return !t.findings.empty(); });
  if (options.exit_code == 0) return code;
  if (found) return options.exit_code;
  const bool complete = unreadable.empty() && std::ranges::all_of(traces, is_complete);
  return analysis.fail_incomplete && !complete ? kProgramIncomplete : code;
}

}  // namespace racecast::cli
