// What must precede what, as a stream: the clocks of happens-before (hb) or schedulable happens-before (shb) while a
// trace goes by. The edges are those of docs/semantics.md, section 6, one case each in sync_clocks.cpp.
//
// For each event: enter(e) joins what e is ordered after; clock(thread) is then e's clock, without the edges from the
// recorded writers into e (shb); leave(e) joins those and publishes what later events are ordered after. An analysis
// looks between the two. O(threads) per synchronisation; a plain access costs nothing in hb, one look-up per granule in
// shb. Memory: one clock per live synchronisation object, and (shb) one stamp per written granule.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "base/hash.h"
#include "model/granules.h"
#include "model/missing_order.h"
#include "model/vector_clock.h"
#include "trace/trace.h"

namespace racecast::model {

enum class Order { Hb, Shb };

class SyncClocks {
 public:
  // `definitions` must outlive it (it may grow). `has_missing`: the trace has missing code; without it, its order is
  // not tracked.
  SyncClocks(Order order, const trace::Definitions& definitions, bool has_missing);

  void enter(const trace::Event& event);
  void leave(const trace::Event& event);

  const VectorClock& clock(ThreadId thread) { return state(thread).clock; }
  Time now(ThreadId thread) { return state(thread).time; }
  // Is the event of another thread with this time before the event that `thread` is at?
  bool before(ThreadId other, Time time, ThreadId thread) { return time <= state(thread).clock[other]; }
  // The clock of thread's current event, cheap to keep.
  Stamp stamp(ThreadId thread);
  void join(ThreadId thread, const Stamp& stamp);

 private:
  struct ThreadState {
    VectorClock clock;
    Time time = 0;
    std::shared_ptr<const VectorClock> frozen;  // a copy of `clock`, if it has not changed since
    VectorClock released_by_fence;              // clock at its last release fence
    VectorClock read_relaxed;                   // what an acquire fence would acquire
    Stamp notified;                             // by whom, while asleep
    unsigned depth_at_wait = 1;                 // how often it held the mutex that its wait gave back
    std::uint64_t barrier_round = 0;
  };
  struct Hold {
    ThreadId thread{};
    unsigned depth = 0;
    bool shared = false;
    Stamp acquired;
  };
  struct LockState {
    Stamp released;           // mutex: last release; rwlock: last writer's
    VectorClock readers;      // rwlock: readers' releases since
    std::vector<Hold> holds;  // oldest first
  };
  struct BarrierState {
    struct Round {
      VectorClock arrived;
      std::uint64_t left = 0;  // threads that have left; the round is forgotten when all have
    };
    std::uint64_t arrivals = 0;
    std::uint64_t parties = 1;
    std::map<std::uint64_t, Round> rounds;
  };

  ThreadState& state(ThreadId thread) {
    if (index(thread) >= threads_.size()) threads_.resize(index(thread) + 1);
    return threads_[index(thread)];
  }
  void join(ThreadState& thread, const VectorClock& clock);
  void acquire(ThreadState& self, const trace::Event& event, LockState& lock);
  void release(ThreadId thread, LockState& lock);
  void take(const trace::Event& event, LockState& lock, bool shared);
  void notify(std::uint64_t condition, ThreadId by, bool all);
  void join_failed_try(ThreadId thread, const trace::Event& event);
  void forget_objects(std::uint64_t address, std::uint64_t size);
  // The entry of an object in one of the maps below; a new one is noted in objects_.
  template <typename Map>
  auto& at(Map& map, std::uint64_t address) {
    auto [it, fresh] = map.try_emplace(address);
    if (fresh) objects_.insert(address);
    return it.value();
  }
  VectorClock released_at(const trace::Event& event) const;
  void leave_atomic(const trace::Event& event, ThreadState& self);

  Order order_;
  const trace::Definitions& definitions_;
  std::deque<ThreadState> threads_;  // a deque: references stay valid while threads appear
  std::set<std::uint64_t> objects_;  // addresses of all synchronisation objects below
  HashMap<std::uint64_t, LockState> locks_;
  HashMap<std::uint64_t, std::vector<ThreadId>> sleepers_;
  HashMap<std::uint64_t, VectorClock> semaphores_, semaphores_all_, once_;
  HashMap<std::uint64_t, BarrierState> barriers_;
  // By byte, the releases that an acquire read of it sees: those of the release sequence that its value belongs to.
  ByteMap<std::shared_ptr<const VectorClock>> released_values_;
  bool has_releases_ = false;  // most traces have none, and then no plain write need be looked up
  ByteMap<Stamp> writers_;     // shb
  std::map<std::uint64_t, std::pair<std::uint64_t, Stamp>> allocations_;  // shb: address → size, stamp
  std::unique_ptr<MissingOrder> missing_;
};

}  // namespace racecast::model
