// What must precede what, as a stream: the clocks of an order over the recorded run while a trace goes by. The edges
// are those of docs/semantics.md, section 6, one case each in sync_clocks.cpp; `Order` says which of them count.
//
// For each event: enter(e) joins what e is ordered after; before(...) and clock(thread) then speak of e, without the
// edges from the recorded writers into e; leave(e) joins those and publishes what later events are ordered after. An
// analysis looks between the two. O(threads) per synchronisation; a plain access costs a counter in the orders without
// execution edges, one look-up per granule in the others. Memory: one clock per live synchronisation object, and one
// stamp per written granule where writers count.
//
// Threads are those of the events, or lanes (lanes.h).
#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "base/check.h"
#include "base/hash.h"
#include "model/memory/byte_map.h"
#include "model/order/missing_order.h"
#include "model/order/open_sections.h"
#include "model/order/vector_clock.h"
#include "trace/trace.h"

namespace racecast::model {

enum class Order {
  Hb,    // happens-before
  Shb,   // hb and the execution edges: recorded writers, what made a try fail, alloc, rounds of barriers
  Must,  // hb without the edges of locks
  Kept,  // must and the execution edges: what an event needs, locks apart
  // The edges of hb, along which only clocks travel that are put in with absorb(): an event is not in its own clock.
  Relay,
};

class SyncClocks {
 public:
  // `definitions` must outlive it (it may grow). `has_missing`: the trace has missing code; without it, its order is
  // not tracked.
  SyncClocks(Order order, const trace::Definitions& definitions, bool has_missing);

  [[gnu::always_inline]] void enter(const trace::Event& event) {
    ThreadState& self = state(event.thread);
    // 2^32 events of one thread do not fit a Time; wrapping would order what is not ordered.
    CHECK(self.time != ~Time{0}, "a thread has more than 2^32 events");
    ++self.time;
    if (!orders_nothing(event.kind)) enter(event, self);
  }
  [[gnu::always_inline]] void leave(const trace::Event& event) {
    if (!orders_nothing(event.kind)) leave(event, state(event.thread));
  }

  const VectorClock& clock(ThreadId thread) {
    ThreadState& self = state(thread);
    put_own_time(thread, self);
    return self.clock;
  }
  [[gnu::always_inline]] Time now(ThreadId thread) { return state(thread).time; }
  // Is the event of another thread with this time before the event that `thread` is at?
  [[gnu::always_inline]] bool before(ThreadId other, Time time, ThreadId thread) {
    return time <= state(thread).clock[other];
  }
  // Changes whenever the thread learns of events of others.
  std::uint64_t version(ThreadId thread) { return state(thread).version; }
  // The clock of thread's current event, cheap to keep.
  Stamp stamp(ThreadId thread);
  // The thread's current event is after this one and all that it is after (Relay: too).
  void absorb(ThreadId thread, const Stamp& stamp);

 private:
  struct ThreadState {
    VectorClock clock;  // own component: put in by put_own_time()
    Time time = 0;
    FrozenClock frozen;             // a copy of `clock`, if nothing was joined since
    std::uint64_t version = 0;      // counts joins
    VectorClock released_by_fence;  // clock at its last release fence
    VectorClock read_relaxed;       // what an acquire fence would acquire
    Stamp notified;                 // by whom, while asleep
    unsigned depth_at_wait = 1;     // how often it held the mutex that its wait gave back
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
      std::uint64_t here = 0;  // threads whose last arrival it has; without any it is forgotten
    };
    std::uint64_t arrivals = 0;  // since it was given these parties
    std::uint64_t parties = 1;
    std::uint64_t first_round = 0;  // rounds before that
    std::map<std::uint64_t, Round> rounds;
    std::map<ThreadId, std::uint64_t> round_of;  // of each thread's last arrival
    VectorClock before_round;                    // execution edges: arrivals of all earlier rounds
    VectorClock this_round;                      // and of this one
  };

  [[gnu::always_inline]] ThreadState& state(ThreadId thread) {
    if (index(thread) >= threads_.size()) [[unlikely]]
      add_threads(index(thread) + 1);
    return *threads_[index(thread)];
  }
  void add_threads(std::size_t count);
  [[gnu::always_inline]] bool orders_nothing(trace::EventKind kind) const {
    return !looks_at_accesses_ && (kind == trace::EventKind::Read || kind == trace::EventKind::Write);
  }
  static void changed(ThreadState& self) {
    self.frozen = {};
    ++self.version;
  }
  void put_own_time(ThreadId thread, ThreadState& self) const {
    if (!relay_) self.clock.set(thread, self.time);
  }
  void enter(const trace::Event& event, ThreadState& self);
  void leave(const trace::Event& event, ThreadState& self);
  void join(ThreadId thread, const Stamp& stamp);
  static void join(ThreadState& thread, const VectorClock& clock);
  void acquire(ThreadState& self, const trace::Event& event, LockState& lock);
  void release(ThreadId thread, LockState& lock);
  void take(const trace::Event& event, LockState& lock, bool shared);
  void notify(std::uint64_t condition, ThreadId by, bool all);
  void start_round(const trace::Event& event, BarrierState& barrier) const;
  void arrive(const trace::Event& event, ThreadState& self);
  void join_failed_try(ThreadId thread, const trace::Event& event);
  void forget_objects(std::uint64_t address, std::uint64_t size);
  // The entry of an object in one of the maps below; a new one is noted in objects_.
  template <typename Map>
  auto& at(Map& map, std::uint64_t address) {
    auto [it, fresh] = map.try_emplace(address);
    if (fresh) objects_.insert(address);
    return it.value();
  }
  // Of lock operations, two look-ups each and most of them of the same few locks.
  LockState& lock_at(std::uint64_t address) {
    if (last_lock_ == nullptr || last_address_ != address) {
      std::unique_ptr<LockState>& state = at(lock_states_, address);
      if (state == nullptr) state = std::make_unique<LockState>();
      last_lock_ = state.get();
      last_address_ = address;
    }
    return *last_lock_;
  }
  VectorClock released_at(const trace::Event& event);
  void leave_atomic(const trace::Event& event, ThreadState& self);

  const bool locks_, execution_, relay_;
  bool looks_at_accesses_;  // a plain access may order something
  const trace::Definitions& definitions_;
  std::vector<std::unique_ptr<ThreadState>> threads_;
  std::set<std::uint64_t> objects_;  // addresses of all synchronisation objects below
  HashMap<std::uint64_t, std::unique_ptr<LockState>> lock_states_;
  LockState* last_lock_ = nullptr;  // of last_address_
  std::uint64_t last_address_ = 0;
  HashMap<std::uint64_t, std::vector<ThreadId>> sleepers_;
  HashMap<std::uint64_t, VectorClock> semaphores_, semaphores_all_, once_;
  HashMap<std::uint64_t, BarrierState> barriers_;
  // By byte, the releases that an acquire read of it sees: those of the release sequence that its value belongs to.
  ByteMap<FrozenClock> released_values_;
  bool has_releases_ = false;  // most traces have none, and then no plain write need be looked up
  ByteMap<Stamp> writers_;     // execution edges
  std::map<std::uint64_t, std::pair<std::uint64_t, Stamp>> allocations_;  // the same: address → size, stamp
  std::unique_ptr<MissingOrder> missing_;
  OpenSections<std::uint32_t> sections_;  // by their reach sets
  std::span<const std::uint32_t> own_{};  // those that the event between enter() and leave() is an own point of
};

}  // namespace racecast::model
