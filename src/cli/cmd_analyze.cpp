// racecast analyze TRACE: what other schedules of a recorded run can do.
#include <CLI/CLI.hpp>

#include "base/file.h"
#include "base/progress.h"
#include "cli/command.h"
#include "cli/open_trace.h"
#include "cli/pipeline.h"
#include "trace/validator.h"

namespace racecast::cli {

namespace {

// Analyses take the rules of a trace for granted, so they are checked first, in a pass of their own.
Status check_trace(const std::string& path) {
  RC_TRY(OpenedTrace opened, open_trace(path));
  trace::Validator validator(opened.source->definitions());
  Progress progress("checking", "events");
  for (;;) {
    RC_TRY(const auto batch, opened.source->next());
    if (batch.empty()) break;
    for (const trace::Event& event : batch) {
      if (Status status = validator.add(event); !status) return bad_input(path + ": " + status.error().message);
    }
    progress.update(validator.events());
  }
  return report_damage(path, opened, validator.events());
}

}  // namespace

void add_analyze(CLI::App& app, Outcome& outcome) {
  struct Options {
    std::string path;
    AnalysisOptions analysis;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("analyze", "analyse a recorded trace (.rct, its text form, or RAPID's .std)");
  command->add_option("TRACE", options->path, "the trace")->required();
  add_analysis_options(*command, options->analysis);
  command->footer("Example: racecast analyze first_race.rct --analysis hb,shb --json findings.json");
  command->callback([options, &outcome] {
    outcome = [&]() -> Outcome {
      if (options->analysis.json) RC_TRY_STATUS(refuse_same_file(options->path, *options->analysis.json));
      RC_TRY_STATUS(check_trace(options->path));
      analysis::Input input;
      input.open = [&]() -> Result<std::unique_ptr<trace::EventSource>> {
        RC_TRY(OpenedTrace opened, open_trace(options->path));
        return std::move(opened.source);
      };
      return analyse_and_report(input, options->path, options->analysis);
    }();
  });
}

}  // namespace racecast::cli
