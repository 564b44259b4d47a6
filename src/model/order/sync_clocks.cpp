#include "model/order/sync_clocks.h"

#include <algorithm>
#include <utility>

namespace racecast::model {

using trace::Event;
using trace::EventKind;

SyncClocks::SyncClocks(Order order, const trace::Definitions& definitions, bool has_missing)
    : locks_(order == Order::Hb || order == Order::Shb || order == Order::Relay),
      execution_(order == Order::Shb || order == Order::Kept),
      relay_(order == Order::Relay),
      looks_at_accesses_(execution_ || has_missing),
      definitions_(definitions) {
  if (has_missing) missing_ = std::make_unique<MissingOrder>(definitions_);
}

void SyncClocks::add_threads(std::size_t count) {
  while (threads_.size() < count) threads_.push_back(std::make_unique<ThreadState>());
}

Stamp SyncClocks::stamp(ThreadId thread) {
  ThreadState& self = state(thread);
  if (!self.frozen) self.frozen = FrozenClock(self.clock);
  return {thread, self.time, self.frozen};
}

void SyncClocks::absorb(ThreadId thread, const Stamp& stamp) {
  // Who knows an event knows all that it knew.
  ThreadState& self = state(thread);
  if (stamp.time <= self.clock[stamp.thread]) return;
  self.clock.join(stamp.past.times());
  self.clock.raise(stamp.thread, stamp.time);
  changed(self);
}

void SyncClocks::join(ThreadId thread, const Stamp& stamp) {
  if (stamp.time == 0 || stamp.thread == thread) return;
  if (!relay_) {
    absorb(thread, stamp);
  } else if (!stamp.past.times().empty()) {
    ThreadState& self = state(thread);
    self.clock.join(stamp.past.times());
    changed(self);
  }
}

void SyncClocks::join(ThreadState& thread, const VectorClock& clock) {
  if (clock.empty()) return;
  thread.clock.join(clock);
  changed(thread);
}

void SyncClocks::acquire(ThreadState& self, const Event& event, LockState& lock) {
  if (!locks_) return;
  join(event.thread, lock.released);
  if (event.kind == EventKind::WrLock) join(self, lock.readers);
}

void SyncClocks::take(const Event& event, LockState& lock, bool shared) {
  for (Hold& hold : lock.holds) {
    if (hold.thread == event.thread) {
      ++hold.depth;
      return;
    }
  }
  lock.holds.push_back({event.thread, 1, shared, execution_ ? stamp(event.thread) : Stamp{}});
}

void SyncClocks::release(ThreadId thread, LockState& lock) {
  auto hold = std::find_if(lock.holds.begin(), lock.holds.end(), [&](const Hold& h) { return h.thread == thread; });
  if (hold != lock.holds.end() && --hold->depth > 0) return;
  if (hold != lock.holds.end() && hold->shared) {
    lock.readers.join(clock(thread));
  } else {
    lock.released = stamp(thread);
    lock.readers.clear();  // the writer came after all of them
  }
  if (hold != lock.holds.end()) lock.holds.erase(hold);
}

void SyncClocks::notify(std::uint64_t condition, ThreadId by, bool all) {
  std::vector<ThreadId>& sleepers = at(sleepers_, condition);
  const std::size_t count = all ? sleepers.size() : std::min<std::size_t>(1, sleepers.size());
  for (std::size_t i = 0; i < count; ++i) state(sleepers[i]).notified = stamp(by);
  sleepers.erase(sleepers.begin(), sleepers.begin() + static_cast<std::ptrdiff_t>(count));
}

// shb only: what kept the lock from being taken must be kept too, or the try would not fail.
void SyncClocks::join_failed_try(ThreadId thread, const Event& event) {
  if (!execution_) return;
  if (event.kind == EventKind::SemWait) {
    join(state(thread), at(semaphores_all_, event.address));
    return;
  }
  for (const Hold& hold : lock_at(event.address).holds) {
    if (event.kind == EventKind::RdLock && hold.shared) continue;
    join(thread, hold.acquired);
    return;
  }
}

void SyncClocks::arrive(const Event& e, ThreadState& self) {
  BarrierState& barrier = at(barriers_, e.address);
  const std::uint64_t round = barrier.first_round + barrier.arrivals++ / barrier.parties;
  barrier.rounds[round].arrived.join(self.clock);
  ++barrier.rounds[round].here;
  if (const auto [mine, first] = barrier.round_of.try_emplace(e.thread, round); !first) {
    const auto left = barrier.rounds.find(std::exchange(mine->second, round));
    if (--left->second.here == 0) barrier.rounds.erase(left);
  }
  if (execution_) barrier.this_round.join(self.clock);
}

// An arrival is after those of all earlier rounds; those of its own round are not among them yet.
void SyncClocks::start_round(const Event& e, BarrierState& barrier) const {
  // Parties that are not known: all arrivals make one round that never ends.
  const std::uint64_t parties = e.has(trace::kHasValue) ? std::max<std::uint64_t>(e.value, 1) : ~std::uint64_t{0};
  if (parties != barrier.parties && barrier.arrivals != 0) {  // initialised anew: another barrier
    barrier.first_round += (barrier.arrivals - 1) / barrier.parties + 1;
    barrier.arrivals = 0;
    barrier.before_round.clear();
    barrier.this_round.clear();
  }
  barrier.parties = parties;
  if (!execution_ || barrier.arrivals % barrier.parties != 0) return;
  barrier.before_round.join(barrier.this_round);
  barrier.this_round.clear();
}

// A new life of these bytes, or its end: the locks and atomics that were there are no more.
void SyncClocks::forget_objects(std::uint64_t address, std::uint64_t size) {
  auto first = objects_.lower_bound(address), last = objects_.lower_bound(address + size);
  for (auto it = first; it != last; ++it) {
    lock_states_.erase(*it);
    sleepers_.erase(*it);
    semaphores_.erase(*it);
    semaphores_all_.erase(*it);
    once_.erase(*it);
    barriers_.erase(*it);
  }
  objects_.erase(first, last);
  last_lock_ = nullptr;
}

void SyncClocks::enter(const Event& e, ThreadState& self) {
  put_own_time(e.thread, self);
  const bool failed = e.has(trace::kFailed);

  switch (e.kind) {
    case EventKind::Join: join(e.thread, stamp(e.child())); break;
    case EventKind::Lock:
    case EventKind::RdLock:
    case EventKind::WrLock:
      if (failed)
        join_failed_try(e.thread, e);
      else
        acquire(self, e, lock_at(e.address));
      break;
    case EventKind::Wake:
      acquire(self, e, lock_at(e.aux));
      if (failed || e.has(trace::kSpurious)) {
        std::erase(at(sleepers_, e.address), e.thread);
      } else {
        join(e.thread, self.notified);
      }
      self.notified = {};
      break;
    case EventKind::SemWait:
      if (failed)
        join_failed_try(e.thread, e);
      else
        join(self, at(semaphores_, e.address));
      break;
    case EventKind::BarrierLeave: {
      BarrierState& barrier = at(barriers_, e.address);
      if (const auto mine = barrier.round_of.find(e.thread); mine != barrier.round_of.end())
        join(self, barrier.rounds.at(mine->second).arrived);
      break;
    }
    case EventKind::BarrierArrive:
      start_round(e, at(barriers_, e.address));
      join(self, at(barriers_, e.address).before_round);
      break;
    case EventKind::OnceSeen: join(self, at(once_, e.address)); break;
    case EventKind::AtomicRead:
    case EventKind::AtomicRmw:
      if (has_releases_ && trace::reads(e)) {
        if (acquires(e.order))
          join(self, released_at(e));
        else
          self.read_relaxed.join(released_at(e));
      }
      break;
    case EventKind::Fence:
      if (acquires(e.order)) join(self, self.read_relaxed);
      break;
    default: break;
  }
  if (execution_ && (trace::is_access(e.kind) || e.kind == EventKind::Free) && !allocations_.empty()) {
    if (auto next = allocations_.upper_bound(e.address); next != allocations_.begin()) {
      const auto& [address, life] = *std::prev(next);
      if (e.address < address + life.first) join(e.thread, life.second);
    }
  }
  if (missing_) {
    own_ = sections_.add(e, static_cast<std::uint32_t>(e.address));
    missing_->before(e, own_, self.clock);
    changed(self);
  }
}

VectorClock SyncClocks::released_at(const Event& e) {
  VectorClock released;
  released_values_.for_each(e.address, e.size,
                            [&](ByteMask, const FrozenClock& clock) { released.join(clock.times()); });
  return released;
}

// The release sequence that a read of these bytes will now see; section 6, synchronises-with.
void SyncClocks::leave_atomic(const Event& e, ThreadState& self) {
  VectorClock released = releases(e.order) ? self.clock : self.released_by_fence;
  if (e.kind == EventKind::AtomicRmw && has_releases_) released.join(released_at(e));  // it continues what it read from
  if (!released.empty()) {
    has_releases_ = looks_at_accesses_ = true;
    released_values_.assign(e.address, e.size, FrozenClock(released));
  } else if (has_releases_) {
    released_values_.erase(e.address, e.size);
  }
}

void SyncClocks::leave(const Event& e, ThreadState& self) {
  if (execution_ && trace::reads(e))
    writers_.for_each(e.address, e.size, [&](ByteMask, const Stamp& writer) { join(e.thread, writer); });

  const bool failed = e.has(trace::kFailed);
  switch (e.kind) {
    case EventKind::Fork: {
      ThreadState& child = state(e.child());  // in a lane, it may have been another thread's
      child.released_by_fence.clear();
      child.read_relaxed.clear();
      join(e.child(), stamp(e.thread));
      break;
    }
    case EventKind::Lock:
    case EventKind::WrLock:
      if (!failed) take(e, lock_at(e.address), false);
      break;
    case EventKind::RdLock:
      if (!failed) take(e, lock_at(e.address), true);
      break;
    case EventKind::Wake: {
      LockState& lock = lock_at(e.aux);
      take(e, lock, false);
      lock.holds.back().depth = std::exchange(self.depth_at_wait, 1);
      break;
    }
    case EventKind::Unlock:
    case EventKind::RwUnlock: release(e.thread, lock_at(e.address)); break;
    case EventKind::Wait: {
      LockState& lock = lock_at(e.aux);
      for (Hold& hold : lock.holds)
        if (hold.thread == e.thread) self.depth_at_wait = std::exchange(hold.depth, 1);  // all of it is given back
      release(e.thread, lock);
      at(sleepers_, e.address).push_back(e.thread);
      break;
    }
    case EventKind::Notify: notify(e.address, e.thread, false); break;
    case EventKind::NotifyAll: notify(e.address, e.thread, true); break;
    case EventKind::SemPost: at(semaphores_, e.address).join(self.clock); [[fallthrough]];
    case EventKind::SemWait:
      if (execution_ && !failed) at(semaphores_all_, e.address).join(self.clock);
      break;
    case EventKind::BarrierArrive: arrive(e, self); break;
    case EventKind::OnceDone: at(once_, e.address) = self.clock; break;
    case EventKind::AtomicWrite: leave_atomic(e, self); break;
    case EventKind::AtomicRmw:
      if (!failed) leave_atomic(e, self);
      break;
    case EventKind::Write:
      if (has_releases_) released_values_.erase(e.address, e.size);
      break;
    case EventKind::Fence:
      if (releases(e.order)) self.released_by_fence = self.clock;
      break;
    case EventKind::Alloc:
      if (execution_) allocations_[e.address] = {e.size, stamp(e.thread)};
      [[fallthrough]];
    case EventKind::Free:
      if (e.kind == EventKind::Free) allocations_.erase(e.address);
      forget_objects(e.address, e.size);
      if (has_releases_) released_values_.erase(e.address, e.size);
      if (execution_) writers_.erase(e.address, e.size);
      break;
    default: break;
  }
  if (execution_ && trace::writes(e)) writers_.assign(e.address, e.size, stamp(e.thread));
  if (missing_) missing_->after(e, own_, self.clock);
}

}  // namespace racecast::model
