// Sync-preserving ideals (Mathur, Pavlogiannis, Viswanathan, POPL 2021): the smallest set of events that must be kept
// so that two accesses are next, when every read keeps its writer and scopes of one lock keep their order
// (docs/semantics.md, section 6). The two race iff neither is in the set; the set in recorded order is the schedule.
//
// The set is a vector clock, as it is closed under program order. It starts as what the two accesses need (clocks of
// Order::Kept), and grows while a lock is open in it, at the point where a thread's prefix ends, although a later scope
// that excludes this one has begun in it: then the release, and what that needs, must be in it, too. Only the locks
// held at the ends of the prefixes are looked at, not all locks; the paper keeps a cursor for every lock, pair of
// threads and variable instead, which is quicker where nearly all pairs fail, and needs that much memory.
//
// Threads are lanes (model/order/lanes.h). Cost of one ideal: rounds × (threads + held locks × threads) binary
// searches; a handful of rounds in practice. Memory: about 60 bytes and one clock per scope of the trace so far.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "model/contexts.h"
#include "model/order/lanes.h"
#include "model/order/sync_clocks.h"

namespace racecast::analysis {

// An access, and what it needs.
struct Point {
  ThreadId thread{};
  model::Time time = 0;
  model::LocksetId lockset = 0;
  std::uint32_t epoch = 0;  // of its thread: how often it has begun a scope
  model::FrozenClock past;
};

class SyncIdeals {
 public:
  SyncIdeals(const trace::Definitions& definitions, const Facts& facts)
      : clocks_(model::Order::Kept, definitions, facts.has_missing) {}

  // For each event: enter(e), then here(e.thread) is the event's point, then leave(e).
  void enter(const trace::Event& event, std::uint64_t number);
  void leave(const trace::Event& event) { clocks_.leave(event); }
  Point here(ThreadId thread);

  // Can both be next, after a sync-preserving reordering? `a` is the earlier, `b` the event that its thread is at. If
  // not, no later event of b's thread can be next together with a. The schedule: how much of each thread, in recorded
  // order.
  std::optional<std::vector<model::Time>> schedule(const Point& a, const Point& b);

  model::Contexts& contexts() { return contexts_; }

 private:
  struct Scope {
    std::uint64_t begin = 0;  // number of the event that began it
    model::Time acquire = 0;  // its time
    model::Stamp release;     // time 0: still open
  };
  struct ThreadScopes {
    ThreadId thread{};
    std::vector<Scope> exclusive, shared;  // in order
  };
  struct Change {
    model::Time time = 0;  // from this event on
    model::LocksetId held = 0;
  };
  struct ThreadState {
    std::vector<Change> changes;
    std::uint32_t epoch = 0;
  };

  ThreadState& state(ThreadId thread) {
    if (index(thread) >= threads_.size()) threads_.resize(index(thread) + 1);
    return threads_[index(thread)];
  }
  ThreadScopes& scopes(std::uint32_t lock, ThreadId thread);
  void note_scopes(const trace::Event& event, std::uint64_t number, model::LocksetId before, model::LocksetId after);
  model::LocksetId held_at(ThreadId thread, model::Time time) const;
  // The release that the ideal must take in because of this hold at the end of the thread's prefix; null: none.
  const model::Stamp* needed_release(const model::VectorClock& ideal, ThreadId thread, const model::Hold& hold);

  model::SyncClocks clocks_;
  model::Contexts contexts_;
  std::vector<ThreadState> threads_;
  std::vector<std::vector<ThreadScopes>> locks_;  // by Hold::number
};

// For pairs of events (earlier, later): the schedule, if the pair is a sync-preserving race. One pass over the trace.
Result<std::vector<std::optional<finding::Prefix>>> syncp_schedules(const Input& input, const Facts& facts,
                                                                    std::span<const std::pair<EventNo, EventNo>> pairs);

}  // namespace racecast::analysis
