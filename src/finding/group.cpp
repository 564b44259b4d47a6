#include "finding/group.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "base/check.h"
#include "finding/stable_hash.h"

namespace racecast::finding {

namespace {

// A dependent race is a data race, seen in a less helpful run.
Kind kind_of(const Finding& pair) {
  return pair.kind == Kind::DependentRace ? Kind::DataRace : pair.kind;
}

using Key = std::tuple<Kind, std::string, std::string, std::string>;
Key key_of(const Finding& pair, const Cause& cause) {
  const auto [low, high] = std::minmax(cause.first, cause.second);
  return {kind_of(pair), cause.object, low, high};
}

std::uint64_t fingerprint_of(const Key& key) {
  const auto& [kind, object, low, high] = key;
  return stable_hash(stable_hash(stable_hash(stable_hash(row_of(kind).text), object), low), high);
}

auto rank_of(const Finding& pair, std::size_t number) {
  const std::uint64_t length = pair.schedule ? length_of(*pair.schedule) : 0;
  return std::tuple(!pair.schedule, pair.grade, length, number);
}

void add(Group& group, const Finding& pair) {
  group.grade = std::min(group.grade, pair.grade);
  for (const std::string& name : pair.analyses)
    if (std::ranges::find(group.analyses, name) == group.analyses.end()) group.analyses.push_back(name);
}

// The first of its pairs comes first, the others keep their order.
void put_first(Group& group, const std::vector<Finding>& pairs) {
  const auto best = std::ranges::min_element(group.pairs, {}, [&](std::size_t i) { return rank_of(pairs[i], i); });
  std::rotate(group.pairs.begin(), best, best + 1);
}

// The group of another pair that it hangs on; nullopt: one of its pairs hangs on nothing, or all on each other.
std::optional<std::size_t> parent_of(const Group& group, std::size_t self, const std::vector<Finding>& pairs,
                                     const std::vector<std::size_t>& group_of) {
  std::optional<std::size_t> parent;
  for (const std::size_t i : group.pairs) {
    if (!pairs[i].depends_on) return std::nullopt;
    const std::size_t above = group_of[*pairs[i].depends_on];
    if (!parent && above != self) parent = above;
  }
  return parent;
}

// Those that hang on nothing come first: they are what is shown.
void put_independent_first(std::vector<Group>& groups) {
  std::vector<std::size_t> order(groups.size()), place(groups.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_partition(order, [&](std::size_t g) { return !groups[g].depends_on; });
  for (std::size_t k = 0; k < order.size(); ++k) place[order[k]] = k;
  std::vector<Group> sorted;
  sorted.reserve(groups.size());
  for (const std::size_t g : order) {
    sorted.push_back(std::move(groups[g]));
    if (sorted.back().depends_on) sorted.back().depends_on = place[*sorted.back().depends_on];
  }
  groups = std::move(sorted);
}

// Whoever follows `depends_on` comes to an end.
void break_cycles(std::vector<Group>& groups) {
  std::vector<std::size_t> walk(groups.size(), 0);  // number of the walk that came by, from 1
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (std::size_t at = g; walk[at] == 0 && groups[at].depends_on;) {
      walk[at] = g + 1;
      if (walk[*groups[at].depends_on] == g + 1) groups[at].depends_on.reset();
      at = groups[at].depends_on.value_or(at);
    }
  }
}

}  // namespace

std::vector<Group> group(const std::vector<Finding>& pairs, const std::vector<Cause>& causes) {
  CHECK(pairs.size() == causes.size(), "{} pairs, {} causes", pairs.size(), causes.size());
  std::vector<Group> groups;
  std::vector<std::size_t> group_of;
  std::map<Key, std::size_t> known;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    std::size_t number = groups.size();
    Key key = key_of(pairs[i], causes[i]);
    const std::uint64_t fingerprint = pairs[i].seen ? pairs[i].fingerprint : fingerprint_of(key);
    if (!pairs[i].seen) number = known.try_emplace(std::move(key), number).first->second;
    if (number == groups.size()) {
      groups.emplace_back();
      groups.back().grade = pairs[i].grade;
      groups.back().fingerprint = fingerprint;
    }
    groups[number].pairs.push_back(i);
    add(groups[number], pairs[i]);
    group_of.push_back(number);
  }
  for (std::size_t g = 0; g < groups.size(); ++g) {
    put_first(groups[g], pairs);
    groups[g].depends_on = parent_of(groups[g], g, pairs, group_of);
  }
  break_cycles(groups);
  for (Group& one : groups) {
    const Kind kind = pairs[one.pairs.front()].kind;
    one.kind = kind == Kind::DependentRace && !one.depends_on ? Kind::DataRace : kind;
  }
  put_independent_first(groups);
  return groups;
}

}  // namespace racecast::finding
