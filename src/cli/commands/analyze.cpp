// racecast analyze TRACE: what other schedules of a recorded run can do.
#include <utility>

#include "base/file.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/commands/compare.h"
#include "cli/commands/nondet_table.h"
#include "cli/open_trace.h"
#include "cli/pipeline.h"

namespace racecast::cli {

namespace {

// A trace may be read several times; what was lost of it is said when it was first read to its end.
class DamageReporter : public trace::EventSource {
 public:
  DamageReporter(std::string path, OpenedTrace opened, std::shared_ptr<bool> reported)
      : path_(std::move(path)), opened_(std::move(opened)), reported_(std::move(reported)) {}

  Result<std::span<const trace::Event>> next() override {
    RC_TRY(const auto batch, opened_.source->next());
    events_ += batch.size();
    if (batch.empty() && !std::exchange(*reported_, true)) RC_TRY_STATUS(report_damage(path_, opened_, events_));
    return batch;
  }
  const trace::Definitions& definitions() const override { return opened_.source->definitions(); }
  std::optional<bool> has_missing_code() const override { return opened_.source->has_missing_code(); }

 private:
  std::string path_;
  OpenedTrace opened_;
  std::shared_ptr<bool> reported_;
  std::uint64_t events_ = 0;
};

}  // namespace

void add_analyze(Command& app, Outcome& outcome) {
  struct Options {
    std::string path;
    AnalysisOptions analysis;
    bool compare = false, table = false, all_triples = false;
  };
  auto options = std::make_shared<Options>();
  Command* command = app.add_subcommand("analyze", "analyse a recorded trace (.rct, its text form, or RAPID's .std)");
  command->add_option("TRACE", options->path, "the trace")->required();
  add_analysis_options(*command, options->analysis);
  command
      ->add_flag(
          "--compare", options->compare,
          "the row of RECIPE's Table II instead of a report: what the trace is made of; races (pairs of places) "
          "by value (RECIPE-s), path (RECIPE) and maximal (RV), each run by itself, and its seconds; Diff: found "
          "by path and not by maximal, Diff': the other way round")
      ->excludes("--analysis", "--racy-events", "--candidates", "--stats", "--fail-incomplete");
  command
      ->add_flag(
          "--table", options->table,
          "nondet: the row of Table A1 of FMCAD'12 instead of a report: what the trace is made of, and what became "
          "of its witnesses (a read, the write it saw, another write), all of them decided")
      ->excludes("--racy-events", "--candidates", "--stats", "--compare", "--fail-incomplete");
  command
      ->add_flag("--all-triples", options->all_triples,
                 "nondet: a line for each witness instead of a report; may be millions")
      ->excludes("--racy-events", "--candidates", "--stats", "--compare", "--fail-incomplete");
  command->footer(
      "Example: racecast analyze first_race.rct --analysis hb,syncp --json findings.json\n"
      "         racecast analyze first_race.rct --compare --json row.json\n"
      "         racecast analyze first_race.rct --analysis nondet\n"
      "         racecast analyze first_race.rct --table");
  command->callback([options, command, &outcome] {
    outcome = [&]() -> Outcome {
      if (options->analysis.json) RC_TRY_STATUS(refuse_same_file(options->path, *options->analysis.json));
      analysis::Input input;
      input.name = options->path;
      input.check = true;
      input.open = [&, reported = std::make_shared<bool>(false)]() -> Result<std::unique_ptr<trace::EventSource>> {
        RC_TRY(OpenedTrace opened, open_trace(options->path));
        return std::make_unique<DamageReporter>(options->path, std::move(opened), reported);
      };
      if (options->compare) return compare_and_report(input, options->path, options->analysis);
      const bool others =
          command->count("--analysis") != 0 && options->analysis.analyses != std::vector<std::string>{"nondet"};
      if ((options->table || options->all_triples) && others)
        return bad_input("--table and --all-triples are for --analysis nondet alone");
      if (options->table || options->all_triples)
        return report_challenges(input, options->path, options->analysis, options->all_triples, options->table);
      return analyse_and_report(input, options->path, options->analysis);
    }();
  });
}

}  // namespace racecast::cli
