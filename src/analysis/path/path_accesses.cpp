#include "analysis/path/path_accesses.h"

#include <algorithm>

#include "model/memory/granules.h"

namespace racecast::analysis::predict {

using trace::Event;

PathAccesses::PathAccesses(const trace::Trace& trace, const model::SymbolicTrace& symbols,
                           const trace::Definitions& definitions, std::shared_ptr<const model::ForkJoinOrder> order)
    : trace_(trace),
      definitions_(definitions),
      order_(std::move(order)),
      by_thread_(definitions.threads.size()),
      locks_(&symbols) {
  for (std::size_t i = 0; i < trace.events.size(); ++i) by_thread_[index(trace.events[i].thread)].push_back(EventNo{i});
  for (std::size_t t = 0; t < by_thread_.size(); ++t) {
    paths_.push_back({ThreadId{static_cast<std::uint32_t>(t)}, {}, {}, {}});
    for (const EventNo no : by_thread_[t]) note(paths_.back(), trace_.events[index(no)], no, no, true);
    std::ranges::sort(paths_.back().by_granule);
  }
}

std::uint32_t PathAccesses::add(const model::ThreadPath& path) {
  paths_.push_back({path.thread, {}, {}, {}});
  Path& made = paths_.back();
  const std::vector<EventNo>& own = by_thread_[index(path.thread)];
  std::size_t at = 0;
  bool on_path = true;
  for (const model::Detour& detour : path.detours) {
    const bool is_last = &detour == &path.detours.back();
    for (; at < detour.branch; ++at)
      note(made, trace_.events[index(own[at])], own[at], on_path ? std::optional(own[at]) : std::nullopt, false);
    on_path = false;
    for (const Event& e : detour.events) note(made, e, own[detour.branch], std::nullopt, is_last);
    at = detour.resume.value_or(own.size());
  }
  for (; at < own.size(); ++at) note(made, trace_.events[index(own[at])], own[at], std::nullopt, true);
  std::ranges::sort(made.by_granule);
  return static_cast<std::uint32_t>(paths_.size() - 1);
}

void PathAccesses::note(Path& path, Event event, EventNo at, std::optional<EventNo> recorded, bool counts) {
  event.thread = ThreadId{static_cast<std::uint32_t>(paths_.size() - 1)};
  const Access access{event.address,
                      event.size,
                      contexts_.lockset(event.thread),
                      at,
                      finding::place_of(definitions_, event),
                      trace::overwrites(event),
                      trace::is_atomic(event.kind)};
  if (!trace::is_access(event.kind)) {
    if (counts && trace::is_checked_free(event)) path.frees.push_back(access);
    locks_.pass(event, recorded, contexts_);
    return;
  }
  if (!counts || !trace::is_checked(event)) return;
  const auto number = static_cast<std::uint32_t>(path.accesses.size());
  path.accesses.push_back(access);
  model::for_each_granule(event.address, event.size, [&](std::uint64_t granule, model::ByteMask) {
    path.by_granule.emplace_back(granule, number);
  });
}

bool PathAccesses::may_race(const Access& a, const Access& b) {
  return (a.writes || b.writes) && !(a.atomic && b.atomic) && a.address < b.address + b.size &&
         b.address < a.address + a.size && !order_->before(std::min(a.at, b.at), std::max(a.at, b.at)) &&
         !contexts_.exclude_each_other(a.lockset, b.lockset);
}

void PathAccesses::add_frees(const Path& a, const Path& b, std::vector<finding::Places>& places) {
  for (const Access& free : a.frees) {
    const std::uint64_t end = free.address + free.size;
    for (auto it = std::ranges::lower_bound(b.by_granule, std::pair(free.address >> 3, 0u));
         it != b.by_granule.end() && it->first << 3 < end; ++it) {
      const Access& access = b.accesses[it->second];
      const finding::Places pair = std::minmax(free.place, access.place);
      if (may_race(free, access) && std::ranges::find(places, pair) == places.end()) places.push_back(pair);
    }
  }
}

const std::vector<finding::Places>& PathAccesses::meetings(std::uint32_t a, std::uint32_t b) {
  const auto [it, fresh] = meetings_.try_emplace(std::minmax(a, b));
  std::vector<finding::Places>& places = it->second;
  if (!fresh || paths_[a].thread == paths_[b].thread) return places;
  const auto& own = paths_[a].by_granule;
  const auto& others = paths_[b].by_granule;
  auto first = others.begin();
  for (const auto& [granule, i] : own) {
    while (first != others.end() && first->first < granule) ++first;
    for (auto it = first; it != others.end() && it->first == granule; ++it) {
      const Access &x = paths_[a].accesses[i], &y = paths_[b].accesses[it->second];
      const finding::Places pair = std::minmax(x.place, y.place);
      if (may_race(x, y) && std::ranges::find(places, pair) == places.end()) places.push_back(pair);
    }
  }
  add_frees(paths_[a], paths_[b], places);
  add_frees(paths_[b], paths_[a], places);
  return places;
}

}  // namespace racecast::analysis::predict
