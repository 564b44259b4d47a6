// `hb`: what happens-before leaves unordered was observed. A pair that `shb` orders cannot be scheduled as recorded:
// it hangs on a read that saw a racing write (a hinge), and is filed under that race.
#include "analysis/hb/hb.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/hb/race_pairs.h"
#include "analysis/hb/shb_prefix.h"

namespace racecast::analysis {

namespace {

using Places = std::pair<LocationId, LocationId>;

Places places_of(LocationId a, LocationId b) {
  return std::minmax(a, b);
}

std::string locks_text(const trace::Definitions& definitions, const finding::Access& access) {
  if (access.locks.empty()) return "no lock";
  std::string text;
  for (const finding::HeldLock& lock : access.locks)
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", name_of_address(definitions, lock.address),
                        lock.shared ? " (shared)" : "");
  return text;
}

std::string reason_of(const trace::Definitions& definitions, const RacePairs::Pair& pair) {
  return fmt::format("no synchronisation of the recorded run orders them; {} holds {}, {} holds {}",
                     name_of_thread(definitions, pair.first.thread), locks_text(definitions, pair.first),
                     name_of_thread(definitions, pair.second.thread), locks_text(definitions, pair.second));
}

// The earliest hinge that shb's order from the first access to the second goes through.
const Hinge* hinge_between(const ShbPrefix& prefix, const RacePairs::Pair& pair, model::Time first_time,
                           const model::VectorClock& before_second) {
  for (const Hinge& hinge : prefix.hinges) {
    const bool reaches_writer = pair.first.thread == hinge.writer_stamp.thread
                                    ? first_time <= hinge.writer_stamp.time
                                    : first_time <= (*hinge.writer_stamp.past)[pair.first.thread];
    if (reaches_writer && hinge.read_time <= before_second[hinge.reader]) return &hinge;
  }
  return nullptr;
}

}  // namespace

Result<Output> run_hb(const Input& input) {
  RC_TRY(const bool has_missing, has_missing_code(input));
  RC_TRY(RacePairs found, find_race_pairs(input, model::Order::Hb, has_missing));
  Output output;
  output.definitions = std::move(found.definitions);
  output.events = found.events;
  for (const RacePairs::Pair& pair : found.pairs) {
    finding::Finding finding;
    finding.analyses = {"hb"};
    finding.first = pair.first;
    finding.second = pair.second;
    finding.reason = reason_of(output.definitions, pair);
    output.findings.push_back(std::move(finding));
  }
  if (found.pairs.empty()) return output;

  RC_TRY(const RacePairs schedulable, find_race_pairs(input, model::Order::Shb, has_missing));
  std::set<Places> can_be_scheduled;
  for (const RacePairs::Pair& pair : schedulable.pairs)
    can_be_scheduled.insert(places_of(pair.first.location, pair.second.location));
  std::vector<EventNo> wanted;
  std::vector<std::size_t> dependent;
  for (std::size_t i = 0; i < found.pairs.size(); ++i) {
    const RacePairs::Pair& pair = found.pairs[i];
    if (can_be_scheduled.contains(places_of(pair.first.location, pair.second.location))) continue;
    dependent.push_back(i);
    wanted.insert(wanted.end(), {pair.first.event, pair.second.event});
  }
  if (!dependent.empty()) {
    RC_TRY(const ShbPrefix prefix, shb_prefix(input, wanted, has_missing, false));
    for (std::size_t k = 0; k < dependent.size(); ++k) {
      const RacePairs::Pair& pair = found.pairs[dependent[k]];
      finding::Finding& finding = output.findings[dependent[k]];
      const Hinge* hinge = hinge_between(prefix, pair, prefix.time[2 * k], prefix.before[2 * k + 1]);
      if (hinge == nullptr) continue;
      const Places places = places_of(hinge->writer, hinge->read);
      auto race = std::find_if(found.pairs.begin(), found.pairs.end(), [&](const RacePairs::Pair& other) {
        return places_of(other.first.location, other.second.location) == places;
      });
      if (race != found.pairs.end()) {
        finding.kind = finding::Kind::DependentRace;
        finding.depends_on = static_cast<std::size_t>(race - found.pairs.begin());
        finding.reason += "; with every read seeing the write that it saw, it comes only after the race above";
      } else {
        finding.reason += fmt::format("; only an atomic read that acquires nothing ({}) stands between them",
                                      name_of_location(output.definitions, hinge->read));
      }
    }
  }
  for (finding::Finding& finding : output.findings)
    finding.fingerprint = finding::fingerprint_of(finding, output.definitions);
  return output;
}

}  // namespace racecast::analysis
