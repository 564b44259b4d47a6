#include "model/order/missing_order.h"

#include <bit>

#include "base/hash.h"

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

// function(cell, the cells of its granule). A range that covers part of a cell splits it, so that what is joined for
// some bytes does not leak to their neighbours.
template <typename Function>
void MissingOrder::cells(const trace::Range& range, Function&& function) {
  for_each_granule(range.address, range.size, [&](std::uint64_t granule, ByteMask mask) {
    Cells& all = granules_[granule];
    for_groups(all, mask, [&](Cell& cell) { function(cell, all); });
  });
}

std::span<const MissingOrder::ClassId> MissingOrder::classes_of(std::uint64_t set) {
  if (set >= sets_.size()) sets_.resize(set + 1);
  if (!sets_[set].known) refine(set);
  return sets_[set].classes;
}

// Makes the set a union of classes.
void MissingOrder::refine(std::uint64_t set) {
  sets_[set].known = true;
  const std::vector<trace::Range>& ranges = definitions_.reach[set].ranges;
  HashMap<ClassId, std::uint64_t> common;  // bytes of each class that are in the set
  for (const trace::Range& range : ranges)
    cells(range,
          [&](const Cell& cell, Cells&) { common[cell.in_class] += static_cast<unsigned>(std::popcount(cell.mask)); });

  HashMap<ClassId, ClassId> parts;  // of each class that is met, its part in the set
  for (const auto& [met, bytes] : common) {
    const bool whole = met != 0 && bytes == classes_[met].bytes;
    const ClassId part = whole ? met : split(met, bytes);
    parts[met] = part;
    classes_[part].sets.push_back(static_cast<std::uint32_t>(set));
    sets_[set].classes.push_back(part);
  }
  for (const trace::Range& range : ranges)
    cells(range, [&](Cell& cell, Cells& all) {
      const ClassId part = parts[cell.in_class];
      if (part == cell.in_class) return;
      cell.in_class = part;
      // Where the old class lists it, it is found to be there no more.
      if (cell.pending) classes_[part].pending.push_back(&all);
    });
}

// A new class for so many bytes of another one: in the same sets so far.
MissingOrder::ClassId MissingOrder::split(ClassId from, std::uint64_t bytes) {
  const auto part = static_cast<ClassId>(classes_.size());
  classes_.push_back({bytes, classes_[from].sections, classes_[from].sets, {}});
  classes_[from].bytes -= bytes;  // of class 0 it means nothing
  for (const std::uint32_t set : classes_[part].sets) sets_[set].classes.push_back(part);
  return part;
}

void MissingOrder::before(const trace::Event& event, std::span<const std::uint32_t> own, VectorClock& clock) {
  for (const std::uint32_t id : own) {
    const trace::ReachSet& reach = definitions_.reach[id];
    if (reach.everything || !reach.ranges.empty()) clock.join(everything_);
    if (reach.everything) clock.join(all_);
    if (reach.ranges.empty()) continue;
    clock.join(large_);
    for (const ClassId number : classes_of(id)) {
      Class& reached = classes_[number];
      clock.join(reached.sections);
      for (Cells* const granule : reached.pending) {
        for (Cell& cell : *granule) {
          if (cell.in_class != number || !cell.pending) continue;
          clock.join(cell.events);
          cell.events.clear();
          cell.pending = false;
        }
      }
      reached.pending.clear();
    }
  }
  const TouchedBytes touched = touched_bytes(event);
  for (int i = 0; i < touched.count; ++i) {
    clock.join(everything_);
    if (touched.ranges[i].size > kManyBytes) {
      clock.join(sections_);
    } else {
      cells(touched.ranges[i], [&](const Cell& cell, Cells&) { clock.join(classes_[cell.in_class].sections); });
    }
  }
}

void MissingOrder::after(const trace::Event& event, std::span<const std::uint32_t> own, const VectorClock& clock) {
  for (const std::uint32_t id : own) {
    const trace::ReachSet& reach = definitions_.reach[id];
    if (reach.everything || !reach.ranges.empty()) {
      all_.join(clock);
      sections_.join(clock);
    }
    if (reach.everything) everything_.join(clock);
    if (reach.ranges.empty()) continue;
    for (const ClassId number : classes_of(id)) classes_[number].sections.join(clock);
  }
  const TouchedBytes touched = touched_bytes(event);
  for (int i = 0; i < touched.count; ++i) {
    all_.join(clock);
    if (touched.ranges[i].size > kManyBytes) {
      large_.join(clock);
    } else {
      cells(touched.ranges[i], [&](Cell& cell, Cells& all) {
        cell.events.join(clock);
        if (!cell.pending && cell.in_class != 0) classes_[cell.in_class].pending.push_back(&all);
        cell.pending = true;
      });
    }
  }
}

}  // namespace racecast::model
