#include "cli/commands/check_expectations.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <span>

#include "base/progress.h"
#include "cli/command.h"
#include "cli/pipeline.h"
#include "program/machine/explore.h"

namespace racecast::cli {

namespace {

using LabelPair = std::pair<std::string, std::string>;
using LabelPairs = std::set<LabelPair>;

void insert(LabelPairs& pairs, const std::string& a, const std::string& b) {
  // Accesses without a label are never listed.
  if (!a.empty() && !b.empty()) pairs.insert(std::minmax(a, b));
}

// nullopt: a bound was hit, so the set is not all of it; `limit` says which.
Result<std::optional<LabelPairs>> found_by(const std::string& name, const trace::Trace& trace, std::string& limit) {
  RC_TRY(const Analysed analysed, analyse(analysis::input_of(trace), {name}));
  const analysis::Output& output = analysed.outputs.by_analysis.front();
  if (!output.complete) {
    limit = output.limit;
    return std::nullopt;
  }
  LabelPairs pairs;
  const auto& locations = analysed.outputs.definitions.locations;
  const auto add = [&](const finding::Finding& finding) {
    if (finding.seen) {  // of the read alone; what memory holds at the end is nobody's
      if (!finding.seen->at_end)
        insert(pairs, locations[index(finding.second.location)].label, locations[index(finding.second.location)].label);
      return;
    }
    insert(pairs, locations[index(finding.first.location)].label, locations[index(finding.second.location)].label);
  };
  std::for_each(output.findings.begin(), output.findings.end(), add);
  std::for_each(output.candidates.begin(), output.candidates.end(), add);
  return pairs;
}

// The same for `all`.
Result<std::optional<LabelPairs>> found_by_exploration(const program::LitmusFile& file, std::string& limit) {
  Progress progress("exploring", "states");
  RC_TRY(const program::Exploration exploration,
         program::explore(file.program, {}, [&](std::uint64_t states) { progress.update(states); }));
  if (!exploration.complete) {
    limit = exploration.limit;
    return std::nullopt;
  }
  const program::InstructionIndex instructions(*file.program);
  LabelPairs pairs;
  for (const program::ExploredRace& race : exploration.races)
    insert(pairs, file.program->text(instructions[race.a].instruction->label),
           file.program->text(instructions[race.b].instruction->label));
  return pairs;
}

// `single`: each is one label, twice.
std::string text_of(const LabelPairs& pairs, bool single) {
  if (pairs.empty()) return "nothing";
  std::string text;
  for (const auto& [a, b] : pairs) text += (text.empty() ? "" : " ") + (single ? a : fmt::format("({},{})", a, b));
  return text;
}

LabelPairs minus(const LabelPairs& a, const LabelPairs& b) {
  LabelPairs result;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::inserter(result, result.end()));
  return result;
}

}  // namespace

Result<int> check_expectations(const program::LitmusFile& file, const trace::Trace& trace) {
  int code = kNothingFound;
  std::size_t checked = 0;
  for (const program::Expectation& expectation : file.expectations) {
    std::optional<LabelPairs> found;
    std::string skipped;
    const bool single = analysis::any_yields(std::span(&expectation.analysis, 1), analysis::Yields::Reads);
    const auto at = [&] {
      return fmt::format("{}:{}", file.program->text(expectation.position.file), expectation.position.line);
    };
    if (expectation.analysis != "all" && analysis::find_analysis(expectation.analysis) == nullptr)
      return bad_input(fmt::format("{}: there is no analysis {}", at(), expectation.analysis));
    if (single ? !expectation.pairs.empty() : !expectation.labels.empty())
      return bad_input(fmt::format("{}: {} gives {}, but {} is expected", at(), expectation.analysis,
                                   single ? "single labels" : "pairs", single ? "a pair" : "a single label"));
    if (expectation.analysis == "all") {
      RC_TRY(found, found_by_exploration(file, skipped));
    } else {
      RC_TRY(found, found_by(expectation.analysis, trace, skipped));
    }
    if (!found) {
      print(fmt::format("skipped  {}: {}\n", expectation.analysis, skipped));
      continue;
    }
    ++checked;
    LabelPairs expected;
    for (const auto& [a, b] : expectation.pairs) insert(expected, a, b);
    for (const std::string& label : expectation.labels) insert(expected, label, label);
    if (*found == expected) {
      print(fmt::format("ok       {}: {}\n", expectation.analysis, text_of(expected, single)));
      continue;
    }
    code = kFindings;
    print(fmt::format("differs  {} (line {}): missing {}; not expected {}\n", expectation.analysis,
                      expectation.position.line, text_of(minus(expected, *found), single),
                      text_of(minus(*found, expected), single)));
  }
  // Silence is no success: a test that checks nothing must not pass.
  if (checked == 0)
    return bad_input(file.expectations.empty() ? "nothing was checked: the file has no `expect` line"
                                               : "nothing was checked: every `expect` line was skipped");
  return code;
}

}  // namespace racecast::cli
