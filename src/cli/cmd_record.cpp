// racecast record FILE.litmus -o OUT.rct: execute the program once and keep the trace.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/file.h"
#include "cli/command.h"
#include "cli/litmus_input.h"
#include "trace/writer.h"

namespace racecast::cli {

void add_record(CLI::App& app, Outcome& outcome) {
  struct Options {
    LitmusOptions litmus;
    std::string out;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("record", "execute a litmus program once and write the trace to a file");
  add_litmus_options(*command, options->litmus);
  command->add_option("-o,--out", options->out, "the trace file to write")->required()->type_name("OUT.rct");
  command->footer("Example: racecast record examples/first_race.litmus -o first_race.rct");
  command->callback([options, &outcome] {
    outcome = [&]() -> Outcome {
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
