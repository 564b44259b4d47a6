// racecast stats TRACE: what a trace is made of, in one pass that checks nothing but the file itself.
#include <memory>
#include <optional>

#include "base/file.h"
#include "base/progress.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/open_trace.h"
#include "model/trace_stats.h"
#include "report/stats.h"

namespace racecast::cli {

namespace {

struct Options {
  std::string path;
  std::optional<std::string> json;
  std::size_t top = 10;
};

Outcome count(const Options& options) {
  if (options.json) RC_TRY_STATUS(refuse_same_file(options.path, *options.json));
  RC_TRY(OpenedTrace opened, open_trace(options.path));
  model::StatsCounter counter;
  std::uint64_t events = 0;
  {
    Progress progress("counting", "events");
    for (;;) {
      RC_TRY(const auto batch, opened.source->next());
      if (batch.empty()) break;
      counter.add(batch);
      events += batch.size();
      progress.update(events);
    }
  }
  RC_TRY_STATUS(report_damage(options.path, opened, events));
  const model::TraceStats stats = counter.finish();
  const report::StatsContext context{opened.source->definitions(), options.path, options.top};
  if (options.json) RC_TRY_STATUS(write_file(*options.json, report::stats_json(stats, context)));
  print(report::stats_text(stats, context));
  return kNothingFound;
}

}  // namespace

void add_stats(Command& app, Outcome& outcome) {
  auto options = std::make_shared<Options>();
  Command* command = app.add_subcommand("stats", "count what a trace is made of: threads, locks, shared memory");
  command->add_option("TRACE", options->path, "the trace (.rct, its text form, or RAPID's .std)")->required();
  command->add_option("--top", options->top, "rows of each table (default 10)")->non_negative();
  command->add_option("--json", options->json, "write all numbers to this file (docs/json.md)");
  command->footer("Example: racecast stats first_race.rct --top 20 --json stats.json");
  command->callback([options, &outcome] { outcome = count(*options); });
}

}  // namespace racecast::cli
