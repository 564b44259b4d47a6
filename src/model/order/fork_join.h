// The order that forks and joins alone give to the events of a trace: no reordering of it, and no run in which threads
// take other branches but fork and join as here, is without.
//
// Linear in the events; a row of 4 × threads bytes for each thread and each join.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/ids.h"
#include "trace/event.h"

namespace racecast::model {

class ForkJoinOrder {
 public:
  // `holds`: does this join (an event) count? Empty: all do.
  ForkJoinOrder(std::span<const trace::Event> events, std::size_t threads,
                const std::function<bool(EventNo)>& holds = {})
      : events_(events), threads_(threads) {
    std::vector<std::uint32_t> row_of_thread(threads, 0), done(threads, 0);
    rows_.assign(threads, 0);
    position_.reserve(events.size());
    row_.reserve(events.size());
    for (std::size_t i = 0; i < events.size(); ++i) {
      const trace::Event& e = events[i];
      const std::size_t t = index(e.thread);
      const bool meets =
          (e.kind == trace::EventKind::Fork || e.kind == trace::EventKind::Join) && index(e.child()) < threads;
      const std::size_t other = meets ? index(e.child()) : t;
      if (meets && e.kind == trace::EventKind::Join && (!holds || holds(EventNo{i})))
        row_of_thread[t] = joined(row_of_thread[t], row_of_thread[other], other, done[other]);
      position_.push_back(done[t]++);
      row_.push_back(row_of_thread[t]);
      if (meets && e.kind == trace::EventKind::Fork)
        row_of_thread[other] = joined(row_of_thread[other], row_of_thread[t], t, done[t]);
    }
  }

  // Is a before b? `a` is recorded before it.
  bool before(EventNo a, EventNo b) const {
    const std::size_t t = index(events_[index(a)].thread);
    return t == index(events_[index(b)].thread) ||
           rows_[std::size_t{row_[index(b)]} * threads_ + t] > position_[index(a)];
  }

 private:
  // A new row: both, and `done` events of `thread`.
  std::uint32_t joined(std::uint32_t own, std::uint32_t other, std::size_t thread, std::uint32_t done) {
    const auto number = static_cast<std::uint32_t>(rows_.size() / threads_);
    rows_.resize(rows_.size() + threads_);
    for (std::size_t t = 0; t < threads_; ++t)
      rows_[number * threads_ + t] = std::max(rows_[own * threads_ + t], rows_[other * threads_ + t]);
    std::uint32_t& last = rows_[number * threads_ + thread];
    last = std::max(last, done);
    return number;
  }

  std::span<const trace::Event> events_;
  std::size_t threads_;
  std::vector<std::uint32_t> position_, row_;  // by event: in its thread; its row
  std::vector<std::uint32_t> rows_;            // of each thread, how many events come before
};

}  // namespace racecast::model
