#include "analysis/hb/dependent.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/hb/shb_prefix.h"

namespace racecast::analysis {

namespace {

// The earliest hinge that shb's order from the first access to the second goes through.
const Hinge* hinge_between(const ShbPrefix& prefix, const model::EventAt& first,
                           const model::VectorClock& before_second) {
  for (const Hinge& hinge : prefix.hinges) {
    const bool reaches_writer =
        first.time <=
        (first.thread == hinge.writer_stamp.thread ? hinge.writer_stamp.time : hinge.writer_stamp.past[first.thread]);
    if (reaches_writer && hinge.read_time <= before_second[hinge.reader]) return &hinge;
  }
  return nullptr;
}

}  // namespace

Status file_dependent_races(const Input& input, const Outputs& outputs, std::vector<finding::Finding>& findings) {
  std::vector<EventNo> wanted;
  std::vector<std::size_t> dependent;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (findings[i].schedule) continue;
    dependent.push_back(i);
    wanted.insert(wanted.end(), {findings[i].first.event, findings[i].second.event});
  }
  if (dependent.empty()) return {};
  RC_TRY(const ShbPrefix prefix, shb_prefix(input, wanted, outputs.facts.has_missing));
  for (std::size_t k = 0; k < dependent.size(); ++k) {
    finding::Finding& finding = findings[dependent[k]];
    const Hinge* hinge = hinge_between(prefix, prefix.at[2 * k], prefix.before[2 * k + 1]);
    if (hinge == nullptr) continue;
    const auto places = std::minmax({hinge->writer, hinge->read});
    const auto race = std::find_if(findings.begin(), findings.end(), [&](const finding::Finding& other) {
      return std::minmax({other.first.location, other.second.location}) == places;
    });
    if (race != findings.end()) {
      if (finding.kind == finding::Kind::DataRace) finding.kind = finding::Kind::DependentRace;
      finding.depends_on = static_cast<std::size_t>(race - findings.begin());
      finding.reason += "; with every read seeing the write that it saw, it comes only after the race above";
    } else {
      finding.reason += fmt::format("; only an atomic read that acquires nothing ({}) stands between them",
                                    name_of_location(outputs.definitions, hinge->read));
    }
  }
  return {};
}

}  // namespace racecast::analysis
