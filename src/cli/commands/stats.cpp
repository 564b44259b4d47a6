// racecast stats TRACE: what a trace is made of, in one pass that checks nothing but the file itself.
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <system_error>

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

analysis::Input input_of(const std::string& path) {
  analysis::Input input;
  input.name = path;
  input.open = [path]() -> Result<std::unique_ptr<trace::EventSource>> {
    RC_TRY(OpenedTrace opened, open_trace(path));
    return std::move(opened.source);
  };
  return input;
}

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
  const trace::Definitions& definitions = opened.source->definitions();
  report::StatsContext context{definitions, options.path, options.top};
  const std::set<report::Moment> locks = report::unnamed_locks(stats, definitions);
  RC_TRY(const report::SecondLook look, report::look_again(input_of(options.path), locks, definitions));
  std::error_code ignored;
  context.locks = report::lock_names(locks, look, definitions, std::filesystem::current_path(ignored));
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
