#include "report/comparison.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "report/columns.h"

namespace racecast::report {

namespace {

std::string number(const std::optional<std::uint64_t>& value) {
  return value ? fmt::format("{}", *value) : "-";
}

}  // namespace

std::string comparison_text(const Comparison& comparison) {
  const model::EventCounts& counts = comparison.counts;
  std::vector<Column> columns = {
      {"threads", number(counts.threads)},   {"reads", number(counts.reads)},
      {"writes", number(counts.writes)},     {"base reads", number(comparison.base_reads)},
      {"branches", number(counts.branches)}, {"sync", number(counts.synchronising)},
      {"events", number(counts.events)},
  };
  for (const ComparedAnalysis& analysis : comparison.analyses)
    columns.emplace_back(fmt::format("{} ({})", analysis.in_paper, analysis.name), number(analysis.races));
  columns.emplace_back("Diff", number(comparison.diff));
  columns.emplace_back("Diff'", number(comparison.diff_reversed));
  for (const ComparedAnalysis& analysis : comparison.analyses)
    columns.emplace_back(analysis.name + " s", analysis.seconds ? fmt::format("{:.3f}", *analysis.seconds) : "-");
  return row_of_columns(columns);
}

std::string comparison_json(const Comparison& comparison) {
  using Json = nlohmann::ordered_json;
  const model::EventCounts& counts = comparison.counts;
  Json root = {{"tool", "racecast"},        {"format", 1},           {"input", comparison.input},
               {"threads", counts.threads}, {"reads", counts.reads}, {"writes", counts.writes}};
  if (comparison.base_reads) root["base_reads"] = *comparison.base_reads;
  root["branches"] = counts.branches;
  root["synchronising"] = counts.synchronising;
  root["events"] = counts.events;
  root["analyses"] = Json::array();
  for (const ComparedAnalysis& analysis : comparison.analyses) {
    if (!analysis.races) continue;
    Json one = {{"name", analysis.name},
                {"in_paper", analysis.in_paper},
                {"races", *analysis.races},
                {"seconds", analysis.seconds.value_or(0)},
                {"complete", analysis.complete}};
    if (!analysis.complete) one["limit"] = analysis.limit;
    root["analyses"].push_back(std::move(one));
  }
  if (comparison.diff) root["diff"] = *comparison.diff;
  if (comparison.diff_reversed) root["diff_reversed"] = *comparison.diff_reversed;
  // Names of files may hold any bytes.
  return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace racecast::report
