// Missing code for the prefix judge (docs/semantics.md, section 4): per byte, which schedules keep all own points of
// sections so far that reach it, and all events so far that are on it. Two words per byte of every granule that an
// event is on; each own point of a section walks all that its sections reach (LIMIT: model/order/missing_order.h, by
// classes, does better).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "model/memory/shadow.h"
#include "model/order/missing_order.h"
#include "trace/trace.h"
#include "witness/prefix_objects.h"

namespace racecast::witness {

class PrefixTies {
 public:
  // The schedules that keep every earlier event that this one is tied to. `sections`: reach sets of those that
  // it is an own point of.
  Mask needed(const trace::Event& e, std::span<const trace::ReachSet* const> sections) {
    Mask mask = kAll;
    for (const trace::ReachSet* reach : sections) {
      if (reach->everything || !reach->ranges.empty()) mask &= everything_;
      if (reach->everything) mask &= all_;
      if (!reach->ranges.empty()) mask &= large_;
      for (const trace::Range& range : reach->ranges)
        for_bytes(range, [&](const Byte& byte) { mask &= byte.sections & byte.events; });
    }
    const model::TouchedBytes touched = model::touched_bytes(e);
    for (int i = 0; i < touched.count; ++i) {
      mask &= everything_;
      if (touched.ranges[i].size > model::kManyBytes) {
        mask &= sections_;
      } else {
        for_bytes(touched.ranges[i], [&](const Byte& byte) { mask &= byte.sections; });
      }
    }
    return mask;
  }
  // The event is kept in the schedules of `mask`.
  void happened(const trace::Event& e, std::span<const trace::ReachSet* const> sections, Mask mask) {
    for (const trace::ReachSet* reach : sections) {
      if (reach->everything || !reach->ranges.empty()) {
        all_ &= mask;
        sections_ &= mask;
      }
      if (reach->everything) everything_ &= mask;
      for (const trace::Range& range : reach->ranges) for_bytes(range, [&](Byte& byte) { byte.sections &= mask; });
    }
    const model::TouchedBytes touched = model::touched_bytes(e);
    for (int i = 0; i < touched.count; ++i) {
      all_ &= mask;
      if (touched.ranges[i].size > model::kManyBytes) {
        large_ &= mask;
      } else {
        for_bytes(touched.ranges[i], [&](Byte& byte) { byte.events &= mask; });
      }
    }
  }

 private:
  struct Byte {
    Mask sections = kAll, events = kAll;
  };
  template <typename Function>
  void for_bytes(const trace::Range& range, Function&& function) {
    model::for_each_granule(range.address, range.size, [&](std::uint64_t granule, model::ByteMask mask) {
      std::array<Byte, 8>& bytes = granules_[granule];
      for_each_bit(mask, [&](std::size_t i) { function(bytes[i]); });
    });
  }

  model::Shadow<std::array<Byte, 8>> granules_;
  Mask everything_ = kAll;  // section events that reach everything
  Mask sections_ = kAll;    // all section events that reach something
  Mask large_ = kAll;       // events on more than model::kManyBytes
  Mask all_ = kAll;         // all section events and all events on some byte
};

}  // namespace racecast::witness
