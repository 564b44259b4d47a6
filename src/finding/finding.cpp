#include "finding/finding.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/check.h"
#include "finding/stable_hash.h"

namespace racecast::finding {

std::string_view text_of(Grade grade) {
  constexpr std::string_view names[] = {"observed", "predicted", "possible", "proved absent"};
  return names[static_cast<int>(grade)];
}

namespace {

// The file without its folder: the same program may be analysed from elsewhere.
std::uint64_t hash_of(const trace::Definitions& definitions, const Access& access) {
  const bool known = index(access.location) < definitions.locations.size() &&
                     !is_nowhere(definitions.locations[index(access.location)]);
  std::string place =
      known ? name_of_location(definitions, access.location) : name_of_address(definitions, access.address);
  if (const std::size_t slash = place.rfind('/'); slash != std::string::npos) place.erase(0, slash + 1);
  std::uint64_t h = stable_hash(place);
  if (index(access.location) < definitions.locations.size())
    h = stable_hash(h, definitions.locations[index(access.location)].function);
  return stable_hash(h, access.frees ? "f" : access.writes ? "w" : "r");
}

}  // namespace

Places places_of(const Finding& finding, const trace::Definitions& definitions) {
  return std::minmax(place_of(definitions, finding.first), place_of(definitions, finding.second));
}

std::uint64_t fingerprint_of(const Finding& finding, const trace::Definitions& definitions) {
  // A dependent race is the same race, seen in a less helpful run.
  const auto [low, high] = std::minmax({hash_of(definitions, finding.first), hash_of(definitions, finding.second)});
  const std::uint64_t both = (low * 0x9e3779b97f4a7c15u) ^ high;
  return finding.seen ? stable_hash(both, "nondet") : both;
}

std::vector<Finding> merge(std::vector<Finding> findings, const trace::Definitions& definitions) {
  std::vector<Finding> merged;
  std::vector<std::optional<Places>> hangs_on;  // by index into merged
  // A read that can see a write is another thing than a race of the two, and than a read there of a write here.
  using Key = std::tuple<int, std::uint64_t, std::uint64_t>;
  const auto key_of = [&](const Finding& finding, const Places& both) {
    if (!finding.seen) return Key{0, both.first, both.second};
    return Key{1 + (finding.seen->at_end ? 1 : 0) + (finding.seen->from_start ? 2 : 0),
               place_of(definitions, finding.first), place_of(definitions, finding.second)};
  };
  std::map<Key, std::size_t> by_places;
  std::vector<Places> places;
  places.reserve(findings.size());
  for (const Finding& finding : findings) places.push_back(places_of(finding, definitions));
  for (std::size_t i = 0; i < findings.size(); ++i) {
    Finding& finding = findings[i];
    auto [it, fresh] = by_places.try_emplace(key_of(finding, places[i]), merged.size());
    std::optional<Places> parent;
    if (finding.depends_on) {
      CHECK(*finding.depends_on < findings.size(), "a finding depends on number {}", *finding.depends_on);
      parent = places[*finding.depends_on];
    }
    if (fresh) {
      merged.push_back(std::move(finding));
      hangs_on.push_back(parent);
      continue;
    }
    Finding& known = merged[it->second];
    for (const std::string& name : finding.analyses)
      if (std::find(known.analyses.begin(), known.analyses.end(), name) == known.analyses.end())
        known.analyses.push_back(name);
    known.grade = std::min(known.grade, finding.grade);
    if (finding.schedule && !known.schedule) {  // the schedule is for its own two events
      known.first = finding.first;
      known.second = finding.second;
      known.schedule = std::move(finding.schedule);
      known.turns = std::move(finding.turns);
      known.events = std::move(finding.events);
      known.kind = finding.kind;
      hangs_on[it->second].reset();
    }
  }
  for (std::size_t i = 0; i < merged.size(); ++i) {
    merged[i].depends_on.reset();
    if (hangs_on[i]) merged[i].depends_on = by_places.at(Key{0, hangs_on[i]->first, hangs_on[i]->second});
    merged[i].fingerprint = fingerprint_of(merged[i], definitions);
  }
  return merged;
}

}  // namespace racecast::finding
