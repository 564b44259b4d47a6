// Vector clocks over event counts: the time of an event is its number in its thread, from 1, so a clock is at once an
// order (e is before f iff time(e) <= clock(f)[thread(e)]) and a set of events (of every thread, its first clock[t]).
// The second reading is what schedules are built from.
//
// Flat vectors; a missing component is 0. A Stamp is the clock of one event at the price of two words: the thread's
// clock changes only where another clock is joined, so between joins all its events share one frozen copy.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/ids.h"

namespace racecast::model {

using Time = std::uint32_t;

class VectorClock {
 public:
  Time operator[](ThreadId thread) const { return index(thread) < times_.size() ? times_[index(thread)] : 0; }
  void set(ThreadId thread, Time time) {
    if (index(thread) >= times_.size()) times_.resize(index(thread) + 1);
    times_[index(thread)] = time;
  }
  void raise(ThreadId thread, Time time) {
    if ((*this)[thread] < time) set(thread, time);
  }
  void join(const VectorClock& other) {
    if (times_.size() < other.times_.size()) times_.resize(other.times_.size());
    for (std::size_t i = 0; i < other.times_.size(); ++i) times_[i] = std::max(times_[i], other.times_[i]);
  }
  bool empty() const { return times_.empty(); }
  void clear() { times_.clear(); }
  std::size_t size() const { return times_.size(); }

 private:
  std::vector<Time> times_;
};

// The clock of one event: `past` with thread's own component raised to `time`.
struct Stamp {
  ThreadId thread{};
  Time time = 0;  // 0: no event
  std::shared_ptr<const VectorClock> past;
};

}  // namespace racecast::model
