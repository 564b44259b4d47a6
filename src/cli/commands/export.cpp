// racecast export IN.rct -o OUT.std: a trace in the text format of RAPID and its kin.
#include <fmt/format.h>

#include "base/file.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/open_trace.h"
#include "trace/std_export.h"

namespace racecast::cli {

void add_export(Command& app, Outcome& outcome) {
  struct Options {
    std::string path, out;
  };
  auto options = std::make_shared<Options>();
  Command* command = app.add_subcommand("export", "convert a trace to RAPID's STD format");
  command->add_option("TRACE", options->path, "the trace")->required();
  command->add_option("-o,--out", options->out, "the file to write")->required()->type_name("OUT.std");
  command->footer("Example: racecast export first_race.rct -o first_race.std");
  command->callback([options, &outcome] {
    outcome = [&]() -> Outcome {
      RC_TRY_STATUS(refuse_same_file(options->path, options->out));
      RC_TRY(OpenedTrace opened, open_trace(options->path));
      RC_TRY(const trace::StdExport written, trace::export_std(*opened.source, options->out));
      print(fmt::format("{}: {} lines\n", options->out, written.written));
      if (const std::string summary = written.summary(); !summary.empty()) note(summary);
      RC_TRY_STATUS(report_damage(options->path, opened, written.written + written.left_out_total()));
      return kNothingFound;
    }();
  });
}

}  // namespace racecast::cli
