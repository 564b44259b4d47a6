// Vector clocks over event counts: the time of an event is its number in its thread, from 1, so a clock is at once an
// order (e is before f iff time(e) <= clock(f)[thread(e)]) and a set of events (of every thread, its first clock[t]).
// The second reading is what schedules are built from.
//
// Flat vectors; a missing component is 0. A Stamp is the clock of one event at the price of three words: a thread's
// clock changes only where another clock is joined, so between joins all its events share one frozen copy.
//
// Measured (bench/micro/clock_bench.cpp, nanoseconds per lock, fork or join; 8 threads and 20 locks, 64 and 1,000, 256
// and 1,000): flat vectors, joined and copied, 11, 25 and 65; stamps, which an order with recorded writers needs
// anyway, 24, 28 and 69; tree clocks (Mathur et al., ASPLOS 2022) 110, 1,016 and 3,383: where all threads meet at all
// locks a tree has nothing to skip, and its visits are dependent loads. Fewer than one event in ten is such an
// operation. So: flat vectors, epochs for single accesses (analysis/hb/fasttrack.h), stamps for everything between.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "base/ids.h"

namespace racecast::model {

using Time = std::uint32_t;

// An event, by its thread and its number there, from 1. Half the size of its number in the trace and its thread.
struct EventAt {
  ThreadId thread{};
  Time time = 0;  // 0: none
  auto operator<=>(const EventAt&) const = default;
};

class VectorClock {
 public:
  VectorClock() = default;
  explicit VectorClock(std::span<const Time> times) : times_(times.begin(), times.end()) {}

  Time operator[](ThreadId thread) const { return index(thread) < times_.size() ? times_[index(thread)] : 0; }
  void set(ThreadId thread, Time time) {
    if (index(thread) >= times_.size()) times_.resize(index(thread) + 1);
    times_[index(thread)] = time;
  }
  void raise(ThreadId thread, Time time) {
    if ((*this)[thread] < time) set(thread, time);
  }
  void join(std::span<const Time> other) {
    if (times_.size() < other.size()) times_.resize(other.size());
    Time* const mine = times_.data();
    for (std::size_t i = 0; i < other.size(); ++i) mine[i] = std::max(mine[i], other[i]);
  }
  void join(const VectorClock& other) { join(other.times()); }
  bool empty() const { return times_.empty(); }
  void clear() { times_.clear(); }
  std::size_t size() const { return times_.size(); }
  std::span<const Time> times() const { return times_; }

 private:
  std::vector<Time> times_;
};

// A clock that does not change any more, shared by all who refer to it. Not for use by several threads: the count of
// references is a plain number.
class FrozenClock {
 public:
  FrozenClock() = default;
  explicit FrozenClock(const VectorClock& clock) {
    const std::span<const Time> times = clock.times();
    void* const memory = ::operator new(sizeof(Block) + times.size_bytes());
    block_ = new (memory) Block{1, static_cast<std::uint32_t>(times.size())};
    std::copy(times.begin(), times.end(), data());
  }
  FrozenClock(const FrozenClock& other) : block_(other.block_) {
    if (block_ != nullptr) ++block_->references;
  }
  FrozenClock(FrozenClock&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  FrozenClock& operator=(FrozenClock other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~FrozenClock() {
    if (block_ != nullptr && --block_->references == 0) ::operator delete(block_);
  }

  explicit operator bool() const { return block_ != nullptr; }
  bool is(const FrozenClock& other) const { return block_ == other.block_; }  // the same copy
  Time operator[](ThreadId thread) const { return index(thread) < size() ? data()[index(thread)] : 0; }
  std::span<const Time> times() const { return {data(), size()}; }

 private:
  struct Block {
    std::uint32_t references;
    std::uint32_t size;
  };
  std::size_t size() const { return block_ == nullptr ? 0 : block_->size; }
  Time* data() const { return reinterpret_cast<Time*>(block_ + 1); }

  Block* block_ = nullptr;
};

// The clock of one event: `past` with thread's own component raised to `time`.
struct Stamp {
  ThreadId thread{};
  Time time = 0;  // 0: no event
  FrozenClock past;
};

}  // namespace racecast::model
