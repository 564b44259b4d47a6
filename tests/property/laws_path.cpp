#include "property/laws_path.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/analysis.h"

namespace racecast::property {

namespace {

using Pairs = std::set<std::pair<InstrId, InstrId>>;

Pairs pairs_of(const analysis::Output& output) {
  Pairs pairs;
  for (const finding::Finding& finding : output.findings) {
    const auto a = static_cast<InstrId>(index(finding.first.location));
    const auto b = static_cast<InstrId>(index(finding.second.location));
    pairs.insert(std::minmax(a, b));
  }
  return pairs;
}

std::string text_of(const oracle::Recording& recording, std::pair<InstrId, InstrId> pair) {
  const auto& locations = recording.trace.definitions.locations;
  const trace::Location &a = locations[index(pair.first)], &b = locations[index(pair.second)];
  return fmt::format("{}:{} and {}:{}", a.line, a.column, b.line, b.column);
}

}  // namespace

std::string turns_as_the_oracle(const oracle::Recording& recording, WalkCounts* counts) {
  const oracle::RelaxedRaces expected = oracle::path_races(recording, {.max_states = 20'000});
  if (!expected.complete) return "";
  const std::vector<std::string> names{"value", "path"};
  const Result<analysis::Outputs> outputs = analysis::run(analysis::input_of(recording.trace), names);
  if (!outputs) return outputs.error().message;
  const analysis::Output &value = outputs->by_analysis[0], &path = outputs->by_analysis[1];
  if (!path.rejected.empty()) return path.rejected.front();
  const Pairs by_value = pairs_of(value), by_path = pairs_of(path);
  for (const auto& pair : by_value)
    if (!by_path.contains(pair)) return "only value has the race of " + text_of(recording, pair);
  for (const auto& pair : by_path)
    if (!expected.races.contains(pair)) return "path has a race that is none: " + text_of(recording, pair);
  const bool has_missing = std::ranges::any_of(
      recording.trace.events, [](const trace::Event& e) { return e.kind == trace::EventKind::MissingBegin; });
  for (const auto& pair : expected.races)
    if (path.complete && !has_missing && !by_path.contains(pair))
      return "path misses the race of " + text_of(recording, pair);
  if (!has_missing) {
    const oracle::RelaxedRaces all = oracle::all_races(*recording.program, {.max_states = 20'000});
    if (all.complete)
      for (const auto& pair : by_path)
        if (!all.races.contains(pair)) return "the program has no race of " + text_of(recording, pair);
  }
  if (counts == nullptr) return "";
  ++counts->programs;
  counts->races += by_path.size();
  counts->beyond_value += by_path.size() - by_value.size();
  if (!path.complete) ++counts->limited;
  return "";
}

}  // namespace racecast::property
