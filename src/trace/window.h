// Windows: a piece of a trace with what crosses its start, so that it can be analysed by itself.
//
// The state at any point is a fold over the events before it (BoundaryTracker); window() runs that fold from the start
// of the trace, and whoever cuts a long trace into windows keeps one tracker and copies its state at each cut. The size
// of the state is what is alive, plus one range per stretch of memory with one last writer.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "trace/trace.h"

namespace racecast::trace {

enum class HeldMode : std::uint8_t { Mutex, Reading, Writing };

// A lock held at the boundary; a recursive one has an acquire event for each time it was taken. After a wake these are
// that wake, as often as the mutex had been held.
struct HeldLock {
  std::uint64_t lock = 0;
  ThreadId thread{};
  HeldMode mode = HeldMode::Mutex;
  std::vector<EventNo> acquires;
  bool operator==(const HeldLock&) const = default;
};

struct LastWrite {
  std::uint64_t end = 0;  // first address after the range
  EventNo event{};
  bool operator==(const LastWrite&) const = default;
};

struct BoundaryThread {
  std::optional<EventNo> fork;               // if it was seen
  std::optional<EventNo> first, last;        // its events so far
  bool ended = false;                        // its end or a join of it was seen
  std::optional<EventNo> waiting;            // the wait from which it has not woken
  std::vector<EventNo> missing;              // open missing sections, outermost first: their begins
  std::vector<EventNo> calls;                // open calls, outermost first
  std::map<std::uint64_t, EventNo> arrived;  // barriers that it has not left: its last arrival
  bool alive() const { return (fork || first) && !ended; }
  bool operator==(const BoundaryThread&) const = default;
};

struct Boundary {
  std::vector<BoundaryThread> threads;             // by ThreadId, up to the largest seen
  std::vector<HeldLock> held;                      // in order of their first acquire
  std::map<std::uint64_t, LastWrite> last_writes;  // by first address; disjoint
  std::map<std::uint64_t, EventNo> objects;        // live objects: address to the alloc
  bool operator==(const Boundary&) const = default;

  // The last write that wrote the byte at `address`.
  std::optional<EventNo> last_write(std::uint64_t address) const;
};

class BoundaryTracker {
 public:
  // Events in order, from a trace that the validator accepts.
  void add(const Event& event);
  const Boundary& state() const { return state_; }
  EventNo next() const { return next_; }  // the number that the next event will have

 private:
  void acquire(const Event& event, HeldMode mode);
  void release(std::uint64_t lock, ThreadId thread, bool all);
  void write(std::uint64_t address, std::uint64_t size);
  BoundaryThread& thread(ThreadId id);

  Boundary state_;
  EventNo next_{};
  std::map<ThreadId, std::size_t> sleep_depth_;  // how often a sleeper held its mutex
};

struct Window {
  Trace trace;      // the definitions of the whole trace, the events of the window
  EventNo first{};  // number of its first event in the whole trace
  Boundary start;   // the state before that event
};

// Events [first, first + count), cut off at the end of the trace.
Window window(const Trace& trace, std::uint64_t first, std::uint64_t count);

}  // namespace racecast::trace
