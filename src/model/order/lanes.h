// Threads that cannot overlap share a *lane*: who forks a thread gives it the lane of one that it has joined. A lane is
// a chain of every order that forks and joins are part of (each event of an earlier thread of it is before each event
// of a later one), so a clock needs one component for a lane, and not one for every thread that ever was: a program of
// ten thousand threads, of which eight run at a time, costs what one of nine threads does.
//
// A pass that wants this renames its events: `thread`, and the child of a fork or join, are lanes then, and times count
// the events of the lane. What it says of threads it has translated back: recorded(), counts().
//
// A lane is given back only by a thread that held no lock and was in no missing code when it was joined, so that what
// is open in a lane is its last thread's. A second join of a thread orders all of its lane so far: more than it should,
// and never less.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.h"
#include "model/order/vector_clock.h"
#include "trace/event.h"

namespace racecast::model {

class Lanes {
 public:
  // The next event, renamed.
  [[gnu::always_inline]] trace::Event rename(const trace::Event& recorded) {
    trace::Event e = recorded;
    if (!knows(e.thread)) [[unlikely]]
      add_thread(e.thread);
    e.thread = lane_of_[index(e.thread)];
    ++lanes_[index(e.thread)].events;
    if (!trace::is_access(e.kind)) rename_other(e);
    return e;
  }

  // Of a thread; if it was not met yet, a new one.
  ThreadId lane(ThreadId thread) {
    add_thread(thread);
    return lane_of_[index(thread)];
  }
  // An event of a lane, as one of a thread.
  EventAt recorded(const EventAt& in_lane) const;
  // A clock, by thread.
  std::vector<Time> counts(std::span<const Time> by_lane) const;

 private:
  static constexpr ThreadId kNowhere{kNone32};
  struct Tenant {
    ThreadId thread{};
    Time before = 0;  // events of the lane before its first
  };
  struct Lane {
    std::vector<Tenant> threads;
    Time events = 0;
    std::uint32_t open = 0;           // locks that its thread holds, and missing code that it is in
    std::vector<std::uint32_t> free;  // lanes that its thread may give to those that it forks
    bool is_free = false;
  };

  bool knows(ThreadId thread) const { return index(thread) < lane_of_.size() && lane_of_[index(thread)] != kNowhere; }
  void add_thread(ThreadId thread);
  void rename_other(trace::Event& e);
  void fork(ThreadId lane, ThreadId child);
  void join(ThreadId lane, ThreadId child);

  std::vector<ThreadId> lane_of_;  // by thread
  std::vector<Lane> lanes_;
};

// The lanes of the threads of a trace in memory, from 0 without gaps. Where a thread is joined twice, each has its own.
std::vector<std::uint32_t> lanes_of(std::span<const trace::Event> events, std::size_t threads);

}  // namespace racecast::model
