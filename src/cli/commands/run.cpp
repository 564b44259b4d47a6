// racecast run FILE.litmus: execute the program once, analyse what was recorded, report; or, with --check, compare the
// findings with the file's `expect` lines. racecast run -- PROGRAM ARGS...: the same for a C or C++ program.
#include <fmt/format.h>

#include "base/file.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/commands/check_expectations.h"
#include "cli/litmus_input.h"
#include "cli/pipeline.h"
#include "cli/record/program_command.h"

namespace racecast::cli {

void add_run(Command& app, Outcome& outcome, const std::vector<std::string>& program) {
  struct Options {
    LitmusOptions litmus;
    ProgramOptions program;
    AnalysisOptions analysis;
    bool check = false;
  };
  auto options = std::make_shared<Options>();
  options->program.words = program;
  Command* command = app.add_subcommand(
      "run", "execute a litmus program, or (behind --) a program compiled with racecast cc; analyse the run, report");
  add_litmus_options(*command, options->litmus, false);
  add_analysis_options(*command, options->analysis);
  add_program_options(*command, options->program, true);
  command->add_flag("--check", options->check, "compare with the file's expect lines; exit 1 where they differ")
      ->excludes("--analysis", "--json", "--racy-events", "--candidates", "--stats", "--missing", "--fail-incomplete");
  command->footer(
      "Example: racecast run examples/first_race.litmus\n"
      "         racecast run --check tests/litmus/recipe_fig1.litmus\n"
      "         racecast run --runs 5 --seed 1 -- ./program its arguments\n"
      "Of a program, the report goes to standard error, and the exit code is the program's own if there are no "
      "findings.");
  command->callback([options, command, &outcome] {
    outcome = [&]() -> Outcome {
      RC_TRY_STATUS(refuse_mixed_options(*command, options->program, {"--check"}));
      if (!options->program.words.empty()) {
        options->program.seed = options->litmus.seed;
        return record_and_report(options->program, options->analysis);
      }
      if (options->analysis.json) RC_TRY_STATUS(refuse_same_file(options->litmus.path, *options->analysis.json));
      RC_TRY(const program::LitmusFile file, load_litmus(options->litmus.path));
      RC_TRY(const trace::Trace trace, record_litmus(file, options->litmus));
      if (options->check) return check_expectations(file, trace);
      return analyse_and_report(analysis::input_of(trace), options->litmus.path, options->analysis);
    }();
  });
}

}  // namespace racecast::cli
