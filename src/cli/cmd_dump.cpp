// racecast dump program|trace|order|findings FILE: every arrow of the data flow, printed. FILE is a litmus program
// (which is executed once where a trace is needed) or a trace.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/dump_order.h"
#include "cli/litmus_input.h"
#include "cli/open_trace.h"
#include "cli/pipeline.h"
#include "program/dump.h"
#include "report/report.h"
#include "trace/text.h"
#include "trace/validator.h"

namespace racecast::cli {

namespace {

// A trace has the one order that was recorded.
Status refuse_schedule(const LitmusOptions& options) {
  if (options.schedule || options.seed)
    return bad_input(
        fmt::format("{}: --schedule and --seed are for litmus programs; a trace has one order", options.path));
  return {};
}

Result<trace::Trace> trace_of(const LitmusOptions& options) {
  if (!options.path.ends_with(".litmus")) {
    RC_TRY_STATUS(refuse_schedule(options));
    RC_TRY(trace::Trace trace, load_trace(options.path));
    if (Status status = trace::validate(trace); !status) return bad_input(options.path + ": " + status.error().message);
    return trace;
  }
  RC_TRY(const program::LitmusFile file, load_litmus(options.path));
  return record_litmus(file, options);
}

Result<std::string> dump_program(const LitmusOptions& options, bool as_litmus) {
  if (options.path.ends_with(".litmus")) {
    RC_TRY(const program::LitmusFile file, load_litmus(options.path));
    return as_litmus ? program::print_litmus(*file.tree) : program::dump(*file.program);
  }
  RC_TRY(const OpenedTrace opened, open_trace(options.path));
  const auto program = opened.source->definitions().program;
  if (program == nullptr) return bad_input(fmt::format("{}: the trace came without a program", options.path));
  return as_litmus ? program->source : program::dump(*program);
}

// Streams: a trace need not fit into memory to be printed.
Status dump_trace(const LitmusOptions& options) {
  auto out = [](std::string_view text) -> Status {
    print(std::string(text));
    return {};
  };
  if (options.path.ends_with(".litmus")) {
    RC_TRY(const trace::Trace trace, trace_of(options));
    trace::MemorySource source(trace);
    return trace::print_text(source, out);
  }
  RC_TRY_STATUS(refuse_schedule(options));
  RC_TRY(OpenedTrace opened, open_trace(options.path));
  RC_TRY_STATUS(trace::print_text(*opened.source, out));
  if (const auto damage = opened.damage()) note(*damage);
  return {};
}

Result<std::string> dump_findings(const LitmusOptions& options) {
  RC_TRY(const trace::Trace trace, trace_of(options));
  RC_TRY(const Analysed analysed, analyse(analysis::input_of(trace), AnalysisOptions{}.analyses));
  return report::lines(analysed.findings, {analysed.outputs.definitions, &trace.events, options.path, false});
}

// `runs`: a litmus program is executed for it, so the schedule can be chosen.
void add_what(CLI::App& dump, Outcome& outcome, const char* name, const char* help, bool runs,
              std::function<Result<std::string>(const LitmusOptions&)> what) {
  auto options = std::make_shared<LitmusOptions>();
  CLI::App* command = dump.add_subcommand(name, help);
  if (runs)
    add_litmus_options(*command, *options);
  else
    command->add_option("FILE", options->path)->required();
  command->get_option("FILE")->description("a litmus program or a trace");
  command->footer(fmt::format("Example: racecast dump {} examples/first_race.litmus", name));
  command->callback([options, what = std::move(what), &outcome] {
    outcome = [&]() -> Outcome {
      RC_TRY(const std::string text, what(*options));
      print(text);
      return kNothingFound;
    }();
  });
}

}  // namespace

void add_dump(CLI::App& app, Outcome& outcome) {
  CLI::App* dump =
      app.add_subcommand("dump", "print a stage of the data flow: program, litmus, trace, order, findings");
  dump->require_subcommand(1);
  dump->footer("Example: racecast dump order examples/first_race.litmus");
  add_what(*dump, outcome, "program", "the program model, instruction by instruction", false,
           [](const LitmusOptions& options) { return dump_program(options, false); });
  add_what(*dump, outcome, "litmus", "the program in the litmus language", false,
           [](const LitmusOptions& options) { return dump_program(options, true); });
  add_what(*dump, outcome, "trace", "the events, in the text form of traces", true,
           [](const LitmusOptions& options) -> Result<std::string> {
             RC_TRY_STATUS(dump_trace(options));
             return std::string();
           });
  add_what(*dump, outcome, "order", "clocks, reads-from and lock scopes", true,
           [](const LitmusOptions& options) -> Result<std::string> {
             RC_TRY(const trace::Trace trace, trace_of(options));
             return dump_order(trace);
           });
  add_what(*dump, outcome, "findings", "one line per finding", true, &dump_findings);
}

}  // namespace racecast::cli
