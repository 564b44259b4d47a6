// racecast record FILE.litmus -o OUT.rct: execute the program once and keep the trace. racecast record [-o DIR] --
// PROGRAM ARGS...: the same as run --record-only.
#include <fmt/format.h>

#include "base/file.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/litmus_input.h"
#include "cli/record/program_command.h"
#include "trace/writer.h"

namespace racecast::cli {

void add_record(Command& app, Outcome& outcome, const std::vector<std::string>& program) {
  struct Options {
    LitmusOptions litmus;
    ProgramOptions program;
    std::string out;
  };
  auto options = std::make_shared<Options>();
  options->program.words = program;
  options->program.record_only = true;
  Command* command = app.add_subcommand(
      "record", "execute a litmus program, or (behind --) a program compiled with racecast cc, and keep the trace");
  add_litmus_options(*command, options->litmus, false);
  command->add_option("-o,--out", options->out, "the trace file to write; for a program, the folder (racecast.out.N)")
      ->required(program.empty())
      ->type_name("OUT.rct");
  add_program_options(*command, options->program, false);
  command->footer(
      "Example: racecast record examples/first_race.litmus -o first_race.rct\n"
      "         racecast record -o traces -- ./program its arguments");
  command->callback([options, command, &outcome] {
    outcome = [&]() -> Outcome {
      RC_TRY_STATUS(refuse_mixed_options(*command, options->program, {}));
      if (!options->program.words.empty()) {
        if (!options->out.empty()) options->program.out = options->out;
        options->program.seed = options->litmus.seed;
        return record_and_report(options->program, {});
      }
      RC_TRY_STATUS(refuse_same_file(options->litmus.path, options->out));
      RC_TRY(const program::LitmusFile file, load_litmus(options->litmus.path));
      RC_TRY(const trace::Trace trace, record_litmus(file, options->litmus));
      RC_TRY_STATUS(trace::write_trace(trace, options->out));
      print(fmt::format("{}: {} events of {} threads\n", options->out, trace.events.size(),
                        trace.definitions.threads.size()));
      return kNothingFound;
    }();
  });
}

}  // namespace racecast::cli
