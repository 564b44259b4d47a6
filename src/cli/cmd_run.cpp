// racecast run FILE.litmus: execute the program once, analyse what was recorded, report; or, with --check, compare the
// findings with the file's `expect` lines.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/file.h"
#include "cli/check_expectations.h"
#include "cli/command.h"
#include "cli/litmus_input.h"
#include "cli/pipeline.h"

namespace racecast::cli {

void add_run(CLI::App& app, Outcome& outcome) {
  struct Options {
    LitmusOptions litmus;
    AnalysisOptions analysis;
    bool check = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("run", "execute a litmus program once, analyse the run, report");
  add_litmus_options(*command, options->litmus);
  add_analysis_options(*command, options->analysis);
  command->add_flag("--check", options->check, "compare with the file's expect lines; exit 1 where they differ")
      ->excludes("--analysis", "--json", "--racy-events", "--candidates", "--stats");
  command->footer(
      "Example: racecast run examples/first_race.litmus\n"
      "         racecast run --check tests/litmus/recipe_fig1.litmus");
  command->callback([options, &outcome] {
    outcome = [&]() -> Outcome {
      if (options->analysis.json) RC_TRY_STATUS(refuse_same_file(options->litmus.path, *options->analysis.json));
      RC_TRY(const program::LitmusFile file, load_litmus(options->litmus.path));
      RC_TRY(const trace::Trace trace, record_litmus(file, options->litmus));
      if (options->check) return check_expectations(file, trace);
      return analyse_and_report(analysis::input_of(trace), options->litmus.path, options->analysis);
    }();
  });
}

}  // namespace racecast::cli
