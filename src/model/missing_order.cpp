#include "model/missing_order.h"

#include <algorithm>

namespace racecast::model {

using trace::EventKind;
using trace::Group;

TouchedBytes touched_bytes(const trace::Event& event) {
  const trace::KindRow& row = trace::row_of(event.kind);
  TouchedBytes touched;
  if (row.group == Group::Access || row.group == Group::Memory) {
    touched.ranges[touched.count++] = {event.address, event.size};
  } else if ((row.group == Group::Lock || row.group == Group::Sync) && (row.fields & trace::A) != 0) {
    touched.ranges[touched.count++] = {event.address, 1};
    if (event.kind == EventKind::Wait || event.kind == EventKind::Wake)
      touched.ranges[touched.count++] = {event.aux, 1};
  }
  return touched;
}

// A range that covers part of a cell splits it, so that what is joined for some bytes does not leak to their
// neighbours.
template <typename Function>
void MissingOrder::cells(std::uint64_t address, std::uint64_t size, Function&& function) {
  for_each_granule(address, size,
                   [&](std::uint64_t granule, ByteMask mask) { for_groups(granules_[granule], mask, function); });
}

void MissingOrder::before(const trace::Event& event, VectorClock& clock) {
  std::vector<std::uint64_t>& sections = open(event.thread);
  if (event.kind == EventKind::MissingBegin) sections.push_back(event.address);
  for (const std::uint64_t id : sections) {
    const trace::ReachSet& reach = definitions_.reach[id];
    if (reach.everything || !reach.ranges.empty()) clock.join(everything_);
    if (reach.everything) clock.join(all_);
    for (const trace::Range& range : reach.ranges) {
      cells(range.address, range.size, [&](Cell& cell) {
        clock.join(cell.sections);
        clock.join(cell.events);
      });
    }
  }
  const TouchedBytes touched = touched_bytes(event);
  for (int i = 0; i < touched.count; ++i) {
    clock.join(everything_);
    cells(touched.ranges[i].address, touched.ranges[i].size, [&](Cell& cell) { clock.join(cell.sections); });
  }
}

void MissingOrder::after(const trace::Event& event, const VectorClock& clock) {
  std::vector<std::uint64_t>& sections = open(event.thread);
  for (const std::uint64_t id : sections) {
    const trace::ReachSet& reach = definitions_.reach[id];
    if (reach.everything || !reach.ranges.empty()) all_.join(clock);
    if (reach.everything) everything_.join(clock);
    for (const trace::Range& range : reach.ranges)
      cells(range.address, range.size, [&](Cell& cell) { cell.sections.join(clock); });
  }
  const TouchedBytes touched = touched_bytes(event);
  for (int i = 0; i < touched.count; ++i) {
    all_.join(clock);
    cells(touched.ranges[i].address, touched.ranges[i].size, [&](Cell& cell) { cell.events.join(clock); });
  }
  if (event.kind == EventKind::MissingEnd && !sections.empty()) sections.pop_back();
}

}  // namespace racecast::model
