// Missing code for the prefix judge (docs/semantics.md, section 4): per byte, which schedules keep all own points of
// sections so far that reach it, and all events so far that are on it. Bytes of a granule are kept apart only where
// they differ. Each own point of a section walks the granules that its sections reach (LIMIT:
// model/order/missing_order.h, by classes, does better), but only where that can tell something: while a schedule that
// keeps it has dropped anything.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "model/memory/shadow.h"
#include "model/order/missing_order.h"
#include "trace/trace.h"
#include "witness/prefix_objects.h"

namespace racecast::witness {

class PrefixTies {
 public:
  // The schedules, of those that are `asked` for, that keep every earlier event that this one is tied to (of others, it
  // says anything). `sections`: reach sets of those that it is an own point of.
  Mask needed(const trace::Event& e, std::span<const trace::ReachSet* const> sections, Mask asked) {
    Mask mask = kAll;
    if ((asked & ~all_) == 0) return mask;  // they have kept all
    for (const trace::ReachSet* reach : sections) {
      if (reach->everything || !reach->ranges.empty()) mask &= everything_;
      if (reach->everything) mask &= all_;
      if (!reach->ranges.empty()) mask &= large_;
      for (const trace::Range& range : reach->ranges)
        read(range, [&](const Byte& byte) { mask &= byte.sections & byte.events; });
    }
    const model::TouchedBytes touched = model::touched_bytes(e);
    for (int i = 0; i < touched.count; ++i) {
      mask &= everything_;
      if (touched.ranges[i].size > model::kManyBytes) {
        mask &= sections_;
      } else {
        read(touched.ranges[i], [&](const Byte& byte) { mask &= byte.sections; });
      }
    }
    return mask;
  }
  // The event is kept in the schedules of `mask`.
  void happened(const trace::Event& e, std::span<const trace::ReachSet* const> sections, Mask mask) {
    if (mask == kAll) return;
    for (const trace::ReachSet* reach : sections) {
      if (reach->everything || !reach->ranges.empty()) {
        all_ &= mask;
        sections_ &= mask;
      }
      if (reach->everything) everything_ &= mask;
      for (const trace::Range& range : reach->ranges) keep(range, {mask, kAll});
    }
    const model::TouchedBytes touched = model::touched_bytes(e);
    for (int i = 0; i < touched.count; ++i) {
      all_ &= mask;
      if (touched.ranges[i].size > model::kManyBytes) {
        large_ &= mask;
      } else {
        keep(touched.ranges[i], {kAll, mask});
      }
    }
  }

 private:
  struct Byte {
    Mask sections = kAll, events = kAll;
  };
  struct Granule {
    Byte all;                                   // as long as its bytes do not differ
    std::unique_ptr<std::array<Byte, 8>> each;  // from then on
  };
  template <typename Function>
  void read(const trace::Range& range, Function&& function) {
    granules_.for_range(range.address, range.size, [&](const Granule& granule, model::ByteMask mask, std::uint64_t) {
      if (granule.each == nullptr) return function(granule.all);
      for_each_bit(mask, [&](std::size_t i) { function((*granule.each)[i]); });
    });
  }
  void keep(const trace::Range& range, const Byte& kept) {
    const auto apply = [&](Byte& byte) {
      byte.sections &= kept.sections;
      byte.events &= kept.events;
    };
    model::for_each_granule(range.address, range.size, [&](std::uint64_t number, model::ByteMask mask) {
      Granule& granule = granules_[number];
      if (granule.each == nullptr && mask != 0xff) {
        const bool changes = (granule.all.sections & ~kept.sections) != 0 || (granule.all.events & ~kept.events) != 0;
        if (!changes) return;
        granule.each = std::make_unique<std::array<Byte, 8>>();
        granule.each->fill(granule.all);
      }
      if (granule.each == nullptr) return apply(granule.all);
      for_each_bit(mask, [&](std::size_t i) { apply((*granule.each)[i]); });
    });
  }

  model::Shadow<Granule> granules_;
  Mask everything_ = kAll;  // section events that reach everything
  Mask sections_ = kAll;    // all section events that reach something
  Mask large_ = kAll;       // events on more than model::kManyBytes
  Mask all_ = kAll;         // all section events and all events on some byte
};

}  // namespace racecast::witness
