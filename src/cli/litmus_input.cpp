#include "cli/litmus_input.h"

#include <fmt/format.h>

#include "base/file.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/open_trace.h"
#include "trace/recorder.h"

namespace racecast::cli {

namespace {
constexpr std::uint64_t kMaxLitmus = 16u << 20;
}

void add_litmus_options(Command& command, LitmusOptions& options, bool required) {
  command.add_option("FILE", options.path, "a litmus program (docs/litmus.md)")->required(required);
  auto* schedule =
      command.add_option("--schedule", options.schedule,
                         "run it in this order instead of the file's: labels, threads, or THREAD*N for N steps");
  schedule->type_name("\"1 2 T1 T2*3\"");
  command.add_option("--seed", options.seed, "run it in a random order; the same number gives the same order")
      ->type_name("N")
      ->excludes(schedule)
      ->check([](const std::string& text) {
        const bool digits = !text.empty() && text.size() < 20 && text.find_first_not_of("0123456789") == text.npos;
        return digits && (text == "0" || text[0] != '0') ? std::string() : "not a number from 0 to 10^19 - 1: " + text;
      });
}

Result<program::LitmusFile> load_litmus(const std::string& path) {
  if (path.empty()) return bad_input("which program? A litmus FILE, or `--` and a program with its arguments");
  RC_TRY(const std::string text, read_file(path, kMaxLitmus));
  if (is_binary_trace(text))
    return bad_input(fmt::format("{}: is a trace, not a litmus program; use `racecast analyze`", path));
  if (text.starts_with("\x7f"
                       "ELF") ||
      text.starts_with("#!"))
    return bad_input(fmt::format("{}: is a program, which comes behind `--`: racecast run -- {}", path, path));
  return program::parse_litmus(text, path);
}

Result<trace::Trace> record_litmus(const program::LitmusFile& file, const LitmusOptions& options) {
  trace::RecordOptions record_options;
  record_options.seed = options.seed;
  if (options.schedule) {
    RC_TRY(record_options.schedule, program::parse_schedule(file, *options.schedule));
  }
  program::RunOutcome run;
  RC_TRY(trace::Trace trace, trace::record(file, record_options, &run));
  for (const std::string& fault : run.faults) note(fault);
  if (run.deadlock) note(fmt::format("the run cannot go on: {}", run.blocked));
  if (run.step_limit)
    note(fmt::format("the run was stopped after {} steps; what came after is not recorded", run.steps));
  return trace;
}

}  // namespace racecast::cli
