// All memory that recorded missing code can reach, whenever: the union of the reach sets of a trace.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "trace/trace.h"

namespace racecast::model {

class MissingReach {
 public:
  explicit MissingReach(const trace::Trace& trace) {
    std::vector<char> seen(trace.definitions.reach.size());
    for (const trace::Event& e : trace.events) {
      if (e.kind != trace::EventKind::MissingBegin || std::exchange(seen[e.address], 1) != 0) continue;
      const trace::ReachSet& reach = trace.definitions.reach[e.address];
      everything_ = everything_ || reach.everything;
      ranges_.insert(ranges_.end(), reach.ranges.begin(), reach.ranges.end());
    }
    merge(ranges_);
  }

  bool empty() const { return ranges_.empty() && !everything_; }
  // Is the event about memory that is reached? (Of an allocation only its first bytes count.)
  bool contains(const trace::Event& e) const {
    if ((trace::row_of(e.kind).fields & trace::A) == 0 || e.kind == trace::EventKind::MissingBegin) return false;
    return everything_ || touches(ranges_, e.address, e.size) ||
           ((e.kind == trace::EventKind::Wait || e.kind == trace::EventKind::Wake) && touches(ranges_, e.aux, 1));
  }

  // Sorted, disjoint.
  static void merge(std::vector<trace::Range>& ranges) {
    std::ranges::sort(ranges, {}, &trace::Range::address);
    std::size_t kept = 0;
    for (const trace::Range& range : ranges) {
      if (range.size == 0) continue;
      if (kept != 0 && range.address <= ranges[kept - 1].address + ranges[kept - 1].size)
        ranges[kept - 1].size = std::max(ranges[kept - 1].size, range.address + range.size - ranges[kept - 1].address);
      else
        ranges[kept++] = range;
    }
    ranges.resize(kept);
  }
  // Of merged ranges.
  static bool touches(const std::vector<trace::Range>& ranges, std::uint64_t address, std::uint64_t size) {
    const std::uint64_t last = address + std::max<std::uint64_t>(size, 1) - 1;
    const auto it = std::ranges::upper_bound(ranges, last, {}, &trace::Range::address);
    return it != ranges.begin() && std::prev(it)->address + std::prev(it)->size > address;
  }

 private:
  std::vector<trace::Range> ranges_;
  bool everything_ = false;
};

}  // namespace racecast::model
