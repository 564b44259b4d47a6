#include "analysis/window/passed_on.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace racecast::analysis::predict {

namespace {

using trace::Event;
using trace::EventKind;
using trace::Range;

// Memory that was given to somebody, up to `end`: it is in use, or `freed_by` gave it back and nobody got it since.
struct Given {
  std::uint64_t end = 0;
  std::optional<ThreadId> freed_by;
};

// Ranges that were given to a thread other than the one that had freed them; sorted, disjoint. Whoever freed an object
// whose end was not recorded counts as another one.
std::vector<Range> passed_on(const std::vector<Event>& events) {
  std::map<std::uint64_t, Given> memory;  // by address, disjoint
  std::vector<Range> found;
  for (const Event& e : events) {
    if (e.kind == EventKind::Free) {
      if (auto it = memory.find(e.address); it != memory.end()) it->second.freed_by = e.thread;
    }
    if (e.kind != EventKind::Alloc || e.size == 0) continue;
    const std::uint64_t end = e.address + e.size;
    auto it = memory.upper_bound(e.address);
    if (it != memory.begin() && std::prev(it)->second.end > e.address) --it;
    while (it != memory.end() && it->first < end) {
      const auto [start, given] = *it;
      if (given.freed_by != e.thread) found.push_back({e.address, e.size});
      it = memory.erase(it);
      if (start < e.address) memory[start] = {e.address, given.freed_by};
      if (end < given.end) it = memory.insert_or_assign(end, given).first;
    }
    memory[e.address] = {end, std::nullopt};
  }
  std::ranges::sort(found);
  std::vector<Range> merged;
  for (const Range& range : found) {
    if (merged.empty() || merged.back().address + merged.back().size < range.address) {
      merged.push_back(range);
      continue;
    }
    Range& last = merged.back();
    last.size = std::max(last.address + last.size, range.address + range.size) - last.address;
  }
  return merged;
}

bool lies_in(const std::vector<Range>& ranges, std::uint64_t value) {
  const std::uint64_t address = value & ((std::uint64_t{1} << 48) - 1);
  const auto next = std::ranges::upper_bound(ranges, address, {}, &Range::address);
  return next != ranges.begin() && address <= std::prev(next)->address + std::prev(next)->size;
}

}  // namespace

void forget_passed_on_addresses(trace::Trace& trace) {
  const std::vector<Range> ranges = passed_on(trace.events);
  if (ranges.empty()) return;
  for (Event& e : trace.events) {
    if (e.kind == EventKind::Value && lies_in(ranges, e.value)) {
      Event marker;
      marker.kind = EventKind::Marker;
      marker.thread = e.thread;
      marker.location = e.location;
      e = marker;
    }
    if (!trace::is_access(e.kind) || e.size != 8 || !e.has(trace::kHasValue)) continue;
    if (lies_in(ranges, e.value) || (e.kind == EventKind::AtomicRmw && lies_in(ranges, e.aux)))
      e.clear(trace::kHasValue);
  }
}

}  // namespace racecast::analysis::predict
