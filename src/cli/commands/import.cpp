// racecast import FILE.std -o OUT.rct: a trace in RAPID's text format becomes one of ours. racecast import FOLDER -o
// OUT.rct: so does what a recorded process wrote (a folder PID.K of RACECAST_DIR), for programs that racecast did not
// start.
#include <fmt/format.h>

#include <filesystem>

#include "base/progress.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/open_trace.h"
#include "cli/record/recordings.h"
#include "trace/std_import.h"

namespace racecast::cli {

void add_import(Command& app, Outcome& outcome) {
  struct Options {
    std::string path, out;
  };
  auto options = std::make_shared<Options>();
  Command* command = app.add_subcommand("import", "convert a trace in RAPID's STD format, or a recording, to .rct");
  command->add_option("FILE", options->path, "the .std file, or the folder that a recorded process wrote")->required();
  command->add_option("-o,--out", options->out, "the trace file to write")->required()->type_name("OUT.rct");
  command->footer("Example: racecast import account.std -o account.rct");
  command->callback([options, &outcome] {
    outcome = [&]() -> Outcome {
      if (starts_as_binary_trace(options->path))
        return bad_input(fmt::format("{}: is a .rct trace already; use `racecast analyze`", options->path));
      std::error_code ignored;
      if (std::filesystem::is_regular_file(options->path + "/meta", ignored)) {
        RC_TRY(const std::uint64_t events, merge_process(options->path, options->out, true));
        print(fmt::format("{}: {} events\n", options->out, events));
        return kNothingFound;
      }
      Progress progress("importing", "events");
      RC_TRY(const trace::StdCounts counts,
             trace::import_std(options->path, options->out, [&](std::uint64_t events) { progress.update(events); }));
      print(fmt::format("{}: {} events from {} lines\n", options->out, counts.events, counts.lines));
      if (counts.requests + counts.transactions + counts.blank != 0)
        note(fmt::format("left out: {} lock requests, {} transaction marks, {} blank lines", counts.requests,
                         counts.transactions, counts.blank));
      return kNothingFound;
    }();
  });
}

}  // namespace racecast::cli
