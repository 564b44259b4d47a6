#include "cli/commands/nondet_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "analysis/nondet/options.h"
#include "base/file.h"
#include "cli/command.h"
#include "model/trace_stats.h"
#include "report/nondet_table.h"

namespace racecast::cli {

namespace {

using trace::EventKind;

// One line: read, writer, challenger (numbers of events and places), what became of it.
class TriplePrinter {
 public:
  explicit TriplePrinter(const analysis::Input& input) : input_(input) {}

  // The places of all accesses: a triple has only numbers.
  Status read_places() {
    RC_TRY(source_, input_.open());
    for (;;) {
      RC_TRY(const auto batch, source_->next());
      if (batch.empty()) return {};
      for (const trace::Event& e : batch) locations_.push_back(e.location);
    }
  }

  void operator()(const analysis::Triple& triple) const {
    using enum analysis::Triple::Outcome;
    const char* const outcome = triple.outcome == Infeasible ? "infeasible"
                                : triple.outcome == Unknown  ? "unknown"
                                : triple.outcome == Without  ? "feasible: challenger, read; no writer before the read"
                                                             : "feasible: writer, challenger, read";
    print(fmt::format("read {} of {}, writer {}, challenger {}: {}\n", text(triple.read, "at the end"),
                      name_of_address(source_->definitions(), triple.address), text(triple.writer, "start"),
                      text(triple.challenger, "start"), outcome));
  }

 private:
  std::string text(const std::optional<EventNo>& event, const char* otherwise) const {
    if (!event) return otherwise;
    return fmt::format("{} ({})", index(*event), name_of_location(source_->definitions(), locations_[index(*event)]));
  }

  const analysis::Input& input_;
  std::unique_ptr<trace::EventSource> source_;
  std::vector<LocationId> locations_;  // by event
};

Result<report::NondetTable> count(const analysis::Input& input) {
  RC_TRY(const auto source, input.open());
  model::StatsCounter counter;
  report::NondetTable table;
  for (;;) {
    RC_TRY(const auto batch, source->next());
    if (batch.empty()) break;
    counter.add(batch);
    for (const trace::Event& e : batch) {
      const bool waits = e.kind == EventKind::Wait || e.kind == EventKind::Wake || e.kind == EventKind::Notify ||
                         e.kind == EventKind::NotifyAll;
      if (waits)
        ++table.wait_notify;
      else if (trace::row_of(e.kind).group == trace::Group::Lock)
        ++table.lock_events;
      else if (trace::is_access(e.kind))
        ++table.accesses;
    }
  }
  const model::TraceStats stats = counter.finish();
  table.events = stats.events;
  table.threads = stats.threads.size();
  table.locks = stats.locks.size();
  table.variables = stats.variables.size();
  return table;
}

void fill(report::NondetTable& table, const analysis::Output& output) {
  const auto figure = [&](std::string_view name) {
    const auto it = std::ranges::find(output.figures, name, &analysis::Figure::name);
    return it == output.figures.end() ? 0 : it->value;
  };
  table.witnesses = figure("challenges");
  table.cycles = figure("with cycles");
  table.without_choices = figure("without choice edges");
  table.with_choices = figure("with choice edges");
  table.feasible = figure("feasible");
  table.infeasible = figure("infeasible");
  table.unknown = figure("unknown");
  const auto chosen = static_cast<double>(std::max<std::uint64_t>(table.with_choices, 1));
  table.possible_graphs = static_cast<double>(figure("choice graphs, possible")) / chosen;
  table.explored_graphs = static_cast<double>(figure("choice graphs, explored")) / chosen;
  const auto all = static_cast<double>(std::max<std::uint64_t>(table.witnesses, 1));
  table.graphs =
      1.0 + (static_cast<double>(figure("choice graphs, explored")) - static_cast<double>(table.with_choices)) / all;
}

}  // namespace

Result<int> report_challenges(const analysis::Input& input_of_trace, const std::string& name,
                              const AnalysisOptions& options, bool triples, bool table) {
  analysis::Input input = input_of_trace;
  input.own = options.own;
  input.limits = limits_of(options);
  input.open = trace::with_missing_mode(input.open, options.missing);
  analysis::NondetOptions of_nondet{.every_challenge = true, .on_triple = {}};
  TriplePrinter printer(input);
  if (triples) {
    RC_TRY_STATUS(printer.read_places());
    of_nondet.on_triple = [&](const analysis::Triple& triple) { printer(triple); };
  }
  input.own.set(std::move(of_nondet));
  const std::clock_t start = std::clock();
  RC_TRY(const Analysed analysed, analyse(input, {"nondet"}));
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  const analysis::Output& output = analysed.outputs.by_analysis.front();
  if (table) {
    RC_TRY(report::NondetTable row, count(input));
    row.input = name;
    row.seconds = seconds;
    fill(row, output);
    if (options.json) RC_TRY_STATUS(write_file(*options.json, report::nondet_table_json(row)));
    print(report::nondet_table_text(row));
  }
  if (!output.complete)
    note(fmt::format("not everything was looked at: {}; what is not listed is unknown", output.limit));
  return analysed.pairs.empty() ? kNothingFound : kFindings;
}

}  // namespace racecast::cli
