// The order that forks and joins alone give to the events of a trace: no reordering of it, and no run in which threads
// take other branches but fork and join as here, is without.
//
// Linear in the events; a row of 4 × lanes bytes (lanes.h) for each fork and each join.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/ids.h"
#include "model/order/lanes.h"
#include "trace/event.h"

namespace racecast::model {

class ForkJoinOrder {
 public:
  // `holds`: does this join (an event) count? Empty: all do.
  ForkJoinOrder(std::span<const trace::Event> events, std::size_t threads,
                const std::function<bool(EventNo)>& holds = {})
      : lane_of_(threads) {
    if (holds) {
      // A join that does not count gives no lane back.
      std::vector<trace::Event> that_hold(events.begin(), events.end());
      for (std::size_t i = 0; i < that_hold.size(); ++i)
        if (that_hold[i].kind == trace::EventKind::Join && !holds(EventNo{i}))
          that_hold[i].kind = trace::EventKind::Marker;
      lane_of_ = lanes_of(that_hold, threads);
    } else {
      lane_of_ = lanes_of(events, threads);
    }
    lanes_ = threads == 0 ? 0 : std::ranges::max(lane_of_) + 1;
    std::vector<std::uint32_t> row_of_lane(lanes_, 0), done(lanes_, 0);
    rows_.assign(lanes_, 0);
    lane_.reserve(events.size());
    position_.reserve(events.size());
    row_.reserve(events.size());
    for (std::size_t i = 0; i < events.size(); ++i) {
      const trace::Event& e = events[i];
      const std::uint32_t own = lane_of_[index(e.thread)];
      const bool meets =
          (e.kind == trace::EventKind::Fork || e.kind == trace::EventKind::Join) && index(e.child()) < threads;
      const std::uint32_t other = meets ? lane_of_[index(e.child())] : own;
      if (meets && e.kind == trace::EventKind::Join && (!holds || holds(EventNo{i})))
        row_of_lane[own] = joined(row_of_lane[own], row_of_lane[other], other, done[other]);
      lane_.push_back(own);
      position_.push_back(done[own]++);
      row_.push_back(row_of_lane[own]);
      if (meets && e.kind == trace::EventKind::Fork)
        row_of_lane[other] = joined(row_of_lane[other], row_of_lane[own], own, done[own]);
    }
  }

  // Is a before b? `a` is recorded before it.
  bool before(EventNo a, EventNo b) const {
    const std::uint32_t lane = lane_[index(a)];
    return lane == lane_[index(b)] || rows_[row_[index(b)] * lanes_ + lane] > position_[index(a)];
  }

 private:
  // A new row: both, and `done` events of `lane`.
  std::uint32_t joined(std::uint32_t own, std::uint32_t other, std::uint32_t lane, std::uint32_t done) {
    const auto number = static_cast<std::uint32_t>(rows_.size() / lanes_);
    rows_.resize(rows_.size() + lanes_);
    for (std::size_t l = 0; l < lanes_; ++l)
      rows_[number * lanes_ + l] = std::max(rows_[own * lanes_ + l], rows_[other * lanes_ + l]);
    std::uint32_t& last = rows_[number * lanes_ + lane];
    last = std::max(last, done);
    return number;
  }

  std::vector<std::uint32_t> lane_of_;  // by thread
  std::size_t lanes_ = 0;
  std::vector<std::uint32_t> lane_, position_, row_;  // by event: its lane, its number there, its row
  std::vector<std::uint32_t> rows_;                   // of each lane, how many events come before
};

}  // namespace racecast::model
