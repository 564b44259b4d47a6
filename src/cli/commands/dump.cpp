// racecast dump program|litmus|trace|path|order|findings|witness FILE: every arrow of the data flow, printed. FILE is a
// litmus program (which is executed once where a trace is needed) or a trace.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <thread>

#include "base/printable.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/commands/dump_order.h"
#include "cli/commands/dump_path.h"
#include "cli/commands/dump_program.h"
#include "cli/commands/verify.h"
#include "cli/litmus_input.h"
#include "cli/open_trace.h"
#include "cli/pipeline.h"
#include "cli/source_lines.h"
#include "report/render.h"
#include "report/resolve.h"
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

Result<std::string> dump_litmus(const LitmusOptions& options) {
  if (options.path.ends_with(".litmus")) {
    RC_TRY(const program::LitmusFile file, load_litmus(options.path));
    return program::print_litmus(*file.tree);
  }
  RC_TRY(const auto program, program_of_trace(options.path));
  return printable_lines(program->source);
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

Outcome verify(const LitmusOptions& options) {
  if (options.path.ends_with(".litmus")) {
    RC_TRY(const trace::Trace trace, trace_of(options));
    trace::MemorySource source(trace);
    return verify_trace(source, options.path);
  }
  RC_TRY_STATUS(refuse_schedule(options));
  RC_TRY(OpenedTrace opened, open_trace(options.path));
  Outcome outcome = verify_trace(*opened.source, options.path);
  if (const auto damage = opened.damage()) note(*damage);
  return outcome;
}

Result<std::string> dump_findings(const LitmusOptions& options) {
  RC_TRY(const trace::Trace trace, trace_of(options));
  RC_TRY(const Analysed analysed, analyse_and_group(analysis::input_of(trace), AnalysisOptions{}.analyses));
  const SourceLines lines(std::nullopt, false);
  return report::lines(
      report::resolve(analysed.pairs, analysed.findings,
                      {.definitions = analysed.outputs.definitions, .look = &analysed.look, .folder = lines.folder()}));
}

// The N-th finding of the report, in the same order.
Result<std::string> dump_witness(const LitmusOptions& options, const AnalysisOptions& analysis, std::size_t number,
                                 bool full) {
  RC_TRY(const trace::Trace trace, trace_of(options));
  analysis::Input input = analysis::input_of(trace);
  input.jobs = std::max(1u, std::thread::hardware_concurrency());
  input.own = analysis.own;
  input.limits = limits_of(analysis);
  input.open = trace::with_missing_mode(input.open, analysis.missing);
  RC_TRY(const Analysed analysed, analyse_and_group(input, analysis.analyses));
  if (number > analysed.findings.size())
    return bad_input(
        fmt::format("{}: there is no finding {}; the analysis has {}", options.path, number, analysed.findings.size()));
  const std::vector<finding::Group> chosen{analysed.findings[number - 1]};
  const finding::Finding& finding = analysed.pairs[chosen.front().pairs.front()];
  SourceLines lines(analysis.source_root, false);
  const report::Origin origin{.definitions = analysed.outputs.definitions,
                              .events = &trace.events,
                              .look = &analysed.look,
                              .source_line = std::ref(lines),
                              .folder = lines.folder()};
  const std::string title = fmt::format("{}. {} on {}\n", number, finding::row_of(chosen.front().kind).title,
                                        printable(report::memory_name(finding, origin)));
  if (!finding.schedule)
    return title + "it was observed in the recorded run; there is no schedule that brings both next to each other\n";
  const std::optional<report::Witness> witness = report::resolve_witness(finding, origin, full);
  return title + (witness ? report::text(*witness, full) : "");
}

// CLI11 takes -1 for 2^64 - 1, and so what is larger.
std::string check_number(const std::string& text) {
  std::size_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc::result_out_of_range) return "too large for the number of a finding: " + text;
  return error != std::errc() || stop != end || number == 0 ? "not a positive number: " + text : std::string();
}

void add_witness(Command& dump, Outcome& outcome) {
  struct Options {
    LitmusOptions litmus;
    AnalysisOptions analysis;
    std::size_t number = 0;
    bool full = false;
  };
  auto options = std::make_shared<Options>();
  Command* command =
      dump.add_subcommand("witness", "the schedule of a finding as an interleaving, a column for each thread");
  command->add_option("N", options->number, "number of the finding, as the report of analyze or run has it")
      ->required()
      ->check(check_number);
  add_litmus_options(*command, options->litmus);
  command->get_option("FILE")->description("a litmus program or a trace");
  add_choice_of_analyses(*command, options->analysis);
  add_source_root(*command, options->analysis.source_root);
  command->add_flag("--full", options->full, "fold nothing");
  command->footer("Example: racecast dump witness 1 examples/first_race.litmus");
  command->callback([options, &outcome] {
    outcome = [&]() -> Outcome {
      RC_TRY(const std::string text, dump_witness(options->litmus, options->analysis, options->number, options->full));
      print(text);
      return kNothingFound;
    }();
  });
}

void add_trace(Command& dump, Outcome& outcome) {
  auto options = std::make_shared<LitmusOptions>();
  auto verifies = std::make_shared<bool>(false);
  Command* command = dump.add_subcommand("trace", "the events, in the text form of traces");
  add_litmus_options(*command, *options);
  command->get_option("FILE")->description("a litmus program or a trace");
  command->add_flag(
      "--verify", *verifies,
      "print no events, but whether their order is legal and the program model computes what was recorded "
      "(exit code 1 if not)");
  command->footer("Example: racecast dump trace examples/first_race.litmus");
  command->callback([options, verifies, &outcome] {
    outcome = [&]() -> Outcome {
      if (*verifies) return verify(*options);
      RC_TRY_STATUS(dump_trace(*options));
      return kNothingFound;
    }();
  });
}

void add_program(Command& dump, Outcome& outcome) {
  auto paths = std::make_shared<std::vector<std::string>>();
  Command* command = dump.add_subcommand("program", "the program model, instruction by instruction");
  command
      ->add_option("FILE", *paths,
                   "a litmus program, a trace, or what was compiled with racecast: object files, executables, shared "
                   "libraries (several are linked by name)")
      ->required();
  command->footer(
      "Example: racecast dump program examples/first_race.litmus\n"
      "         racecast dump program main.o queue.o");
  command->callback([paths, &outcome] {
    outcome = [&]() -> Outcome {
      RC_TRY(const std::string text, dump_program(*paths));
      print(text);
      return kNothingFound;
    }();
  });
}

// `runs`: a litmus program is executed for it, so the schedule can be chosen.
void add_what(Command& dump, Outcome& outcome, const char* name, const char* help, bool runs,
              std::function<Result<std::string>(const LitmusOptions&)> what) {
  auto options = std::make_shared<LitmusOptions>();
  Command* command = dump.add_subcommand(name, help);
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

void add_dump(Command& app, Outcome& outcome) {
  Command* dump = app.add_subcommand(
      "dump", "print a stage of the data flow: program, litmus, trace, path, order, findings, witness");
  dump->require_subcommand();
  dump->footer("Example: racecast dump order examples/first_race.litmus");
  add_program(*dump, outcome);
  add_what(*dump, outcome, "litmus", "the program in the litmus language", false, &dump_litmus);
  add_trace(*dump, outcome);
  add_what(*dump, outcome, "path", "what each thread computes from what it reads, and what must hold for each event",
           true, [](const LitmusOptions& options) -> Result<std::string> {
             RC_TRY(const trace::Trace trace, trace_of(options));
             return dump_path(trace);
           });
  add_what(*dump, outcome, "order", "clocks, reads-from and lock scopes", true,
           [](const LitmusOptions& options) -> Result<std::string> {
             RC_TRY(const trace::Trace trace, trace_of(options));
             return dump_order(trace);
           });
  add_what(*dump, outcome, "findings", "one line per finding", true, &dump_findings);
  add_witness(*dump, outcome);
}

}  // namespace racecast::cli
