// How the state is kept; carry.cpp says what of it a piece needs.
#include "analysis/window/carried.h"

#include <algorithm>

#include "base/check.h"
#include "model/memory/granules.h"

namespace racecast::analysis::predict {

using trace::Event;
using trace::EventKind;

void LiveObjects::add(const Event& e, std::uint64_t number) {
  if (e.kind == EventKind::Alloc) objects_.insert_or_assign(e.address, Object{e.size, number, e});
  if (e.kind == EventKind::Free) objects_.erase(e.address);
}

const LiveObjects::Object* LiveObjects::at(std::uint64_t address) const {
  const auto next = objects_.upper_bound(address);
  if (next == objects_.begin()) return nullptr;
  const auto& [start, object] = *std::prev(next);
  return address - start < object.size ? &object : nullptr;
}

const LiveObjects::Object* LiveObjects::beginning_at(std::uint64_t address) const {
  const auto it = objects_.find(address);
  return it == objects_.end() ? nullptr : &it->second;
}

namespace {

// A trace may say any number; what it says is added to.
constexpr std::uint64_t kMostUnits = std::uint64_t{1} << 60;

SemaphoreKey key_of(const LiveObjects& objects, std::uint64_t address) {
  const LiveObjects::Object* const object = objects.at(address);
  return {address, object == nullptr ? kNoObject : object->number};
}

std::int64_t change_of(const Event& e) {
  if (e.kind == EventKind::SemPost) return 1;
  return e.kind == EventKind::SemWait && !e.has(trace::kFailed) ? -1 : 0;
}

bool is_semaphore(EventKind kind) {
  return kind == EventKind::SemPost || kind == EventKind::SemWait;
}

}  // namespace

void SemaphoreStarts::add(const Event& e) {
  objects_.add(e, next_++);
  if (!is_semaphore(e.kind)) return;
  Counts& counts = counts_[key_of(objects_, e.address)];
  counts.balance += change_of(e);
  counts.start = e.has(trace::kHasValue) ? static_cast<std::int64_t>(std::min(e.value, kMostUnits))
                                         : std::max(counts.start, -counts.balance);
}

std::int64_t SemaphoreStarts::start(const SemaphoreKey& semaphore) const {
  const auto it = counts_.find(semaphore);
  return it == counts_.end() ? 0 : it->second.start;
}

CarriedState::Thread& CarriedState::thread(ThreadId id) {
  if (index(id) >= threads_.size()) threads_.resize(index(id) + 1);
  return threads_[index(id)];
}

void CarriedState::set_bytes(std::uint64_t address, std::uint64_t size, StoreNo from) {
  model::for_each_granule(address, size, [&](std::uint64_t granule, model::ByteMask mask) {
    Bytes& bytes = bytes_[granule];
    for (unsigned i = 0; i < 8; ++i)
      if ((mask >> i & 1) != 0) bytes.from[i] = from;
  });
}

bool CarriedState::overwritten(StoreNo from, const LiveObjects::Object* object) const {
  if (!everything_ || (object != nullptr && object->number > everything_->number)) return false;
  return from == 0 || store_[from].number < everything_->number;
}

void CarriedState::on_access(const Event& e) {
  if (trace::writes(e)) {
    store_.push_back(stored(e));
    set_bytes(e.address, e.size, static_cast<StoreNo>(store_.size() - 1));
    return;
  }
  // A read of what was there at the start tells what that is.
  if (!e.has(trace::kHasValue) || e.size > 8) return;
  const LiveObjects::Object* const object = objects_.at(e.address);
  StoreNo from = 0;
  model::for_each_granule(e.address, e.size, [&](std::uint64_t granule, model::ByteMask mask) {
    Bytes& bytes = bytes_[granule];
    for (unsigned i = 0; i < 8; ++i) {
      if ((mask >> i & 1) == 0 || bytes.from[i] != 0 || overwritten(0, object)) continue;
      if (from == 0) {
        from = static_cast<StoreNo>(store_.size());
        store_.push_back(stored(e));
      }
      bytes.from[i] = from;
    }
  });
}

void CarriedState::on_lock(const Event& e) {
  std::vector<Held>& held = thread(e.thread).held;
  const bool takes = e.kind == EventKind::Lock || e.kind == EventKind::RdLock || e.kind == EventKind::WrLock;
  const auto own = std::find_if(held.begin(), held.end(), [&](const Held& h) { return h.lock == e.address; });
  if (takes && e.has(trace::kFailed)) return;
  if (takes && own == held.end()) {
    held.push_back({e.address, {stored(e)}});
  } else if (takes) {
    own->acquires.push_back(stored(e));
  } else if (own != held.end()) {
    own->acquires.pop_back();
    if (own->acquires.empty()) held.erase(own);
  }
}

void CarriedState::on_condition(const Event& e) {
  Thread& self = thread(e.thread);
  if (e.kind == EventKind::Wait) {
    const auto own = std::find_if(self.held.begin(), self.held.end(), [&](const Held& h) { return h.lock == e.aux; });
    self.sleep = Sleep{stored(e), 1, std::nullopt};
    if (own != self.held.end()) {
      self.sleep->depth = static_cast<std::uint32_t>(own->acquires.size());
      self.held.erase(own);
    }
    sleepers_[e.address].push_back(e.thread);
  } else if (e.kind == EventKind::Wake) {
    const std::uint32_t depth = self.sleep ? self.sleep->depth : 1;
    if (self.sleep && !self.sleep->notified) std::erase(sleepers_[e.address], e.thread);
    self.sleep.reset();
    Event lock;
    lock.kind = EventKind::Lock;
    lock.flags = depth > 1 ? trace::kRecursive : 0;
    lock.thread = e.thread;
    lock.location = e.location;
    lock.address = e.aux;
    self.held.push_back({e.aux, std::vector<Stored>(depth, stored(lock))});
  } else {
    std::vector<ThreadId>& sleepers = sleepers_[e.address];
    while (!sleepers.empty()) {
      // In a state that was read from bytes, one that is on the list need not sleep any more.
      if (std::optional<Sleep>& sleep = thread(sleepers.front()).sleep) sleep->notified = stored(e);
      sleepers.erase(sleepers.begin());
      if (e.kind == EventKind::Notify) break;
    }
  }
  if (const auto it = sleepers_.find(e.address); it != sleepers_.end() && it->second.empty()) sleepers_.erase(it);
}

// A barrier that is given other parties is another one, with rounds of its own.
void CarriedState::on_barrier(const Event& e) {
  std::vector<Round>& rounds = barriers_[e.address];
  // Of a thread, only the last arrival counts: what it has not left by then, it never will.
  for (Round& round : rounds) {
    for (Arrival& arrival : round.arrivals)
      if (arrival.event.event.thread == e.thread) arrival.left = true;
    if (round.parties == 0) std::erase_if(round.arrivals, &Arrival::left);
  }
  if (e.kind == EventKind::BarrierArrive) {
    if (rounds.empty() || rounds.back().complete() || rounds.back().parties != e.value) rounds.push_back({e.value, {}});
    rounds.back().arrivals.push_back({stored(e), false});
  }
  forget_rounds(rounds);
  if (rounds.empty()) barriers_.erase(e.address);
}

// Of the rounds before the last, those remain that somebody may leave, and what tells two barriers of unknown parties
// apart. The last may be filled, and says what parties the barrier has; alone and left by all, it says nothing.
void CarriedState::forget_rounds(std::vector<Round>& rounds) {
  const auto left = [](const Round& round) { return std::ranges::all_of(round.arrivals, &Arrival::left); };
  for (std::size_t i = 0; i + 1 < rounds.size();) {
    const Round& round = rounds[i];
    const bool separates = round.parties != 0 && i > 0 && rounds[i - 1].parties == 0 && rounds[i + 1].parties == 0;
    const bool abandoned = round.parties != 0 && !round.complete();
    if ((abandoned || left(round)) && !separates)
      rounds.erase(rounds.begin() + static_cast<std::ptrdiff_t>(i));
    else
      ++i;
  }
  if (rounds.size() == 1 && left(rounds[0]) && (rounds[0].parties == 0 || rounds[0].complete())) rounds.clear();
}

void CarriedState::on_object(const Event& e) {
  std::uint64_t size = e.size;
  if (const auto* const object = objects_.beginning_at(e.address); e.kind == EventKind::Free && object != nullptr)
    size = object->size;
  model::for_granules_of(bytes_, e.address, size, [](Bytes& bytes, model::ByteMask mask, std::uint64_t) {
    for (unsigned i = 0; i < 8; ++i)
      if ((mask >> i & 1) != 0) bytes.from[i] = 0;
  });
  const auto erase = [&](auto& all) { all.erase(all.lower_bound(e.address), all.lower_bound(e.address + size)); };
  erase(guards_);
  erase(barriers_);
  objects_.add(e, next_);
}

// Every own point of missing code counts as a write to all that it reaches.
void CarriedState::on_missing(const Event& e) {
  StoreNo from = 0;
  const std::vector<Stored>& inside = thread(e.thread).inside;
  for (auto it = inside.rbegin(); it != inside.rend() && it->event.kind == EventKind::MissingBegin; ++it) {
    const trace::ReachSet& reach = definitions_.reach[it->event.address];
    if (reach.everything) everything_ = stored(e, true);
    for (const trace::Range& range : reach.ranges) {
      if (from == 0) {
        from = static_cast<StoreNo>(store_.size());
        store_.push_back(stored(e, true));
      }
      set_bytes(range.address, range.size, from);
    }
  }
}

void CarriedState::add(const Event& e) {
  std::vector<Stored>& inside = thread(e.thread).inside;
  const auto in_callback = [&] { return !inside.empty() && inside.back().event.kind == EventKind::Call; };
  if (e.kind == EventKind::MissingBegin) inside.push_back(stored(e));
  if (e.kind == EventKind::Return && in_callback()) inside.pop_back();
  while (e.kind == EventKind::MissingEnd && in_callback()) inside.pop_back();
  if (e.kind == EventKind::Alloc || e.kind == EventKind::Free) on_object(e);
  if (!inside.empty()) on_missing(e);
  if (e.kind == EventKind::MissingEnd && !inside.empty()) inside.pop_back();
  if (e.kind == EventKind::Call && !inside.empty()) inside.push_back(stored(e));
  switch (e.kind) {
    case EventKind::Lock:
    case EventKind::RdLock:
    case EventKind::WrLock:
    case EventKind::Unlock:
    case EventKind::RwUnlock: on_lock(e); break;
    case EventKind::Wait:
    case EventKind::Wake:
    case EventKind::Notify:
    case EventKind::NotifyAll: on_condition(e); break;
    case EventKind::SemPost:
    case EventKind::SemWait: balances_[key_of(objects_, e.address)] += change_of(e); break;
    case EventKind::BarrierArrive:
    case EventKind::BarrierLeave: on_barrier(e); break;
    case EventKind::OnceEnter: guards_.insert_or_assign(e.address, Guard{stored(e), std::nullopt}); break;
    case EventKind::OnceDone:
      if (const auto guard = guards_.find(e.address); guard != guards_.end()) guard->second.done = stored(e);
      break;
    default:
      if (trace::is_access(e.kind)) on_access(e);
      break;
  }
  ++next_;
}

void CarriedState::say_counts(std::span<Event> piece) const {
  if (std::none_of(piece.begin(), piece.end(), [](const Event& e) { return is_semaphore(e.kind); })) return;
  LiveObjects objects = objects_;
  std::uint64_t number = next_;
  for (Event& e : piece) {
    objects.add(e, number++);
    if (!is_semaphore(e.kind)) continue;
    const SemaphoreKey key = key_of(objects, e.address);
    const auto balance = balances_.find(key);
    e.value = static_cast<std::uint64_t>(starts_.start(key) + (balance == balances_.end() ? 0 : balance->second));
    e.flags |= trace::kHasValue;
  }
}

// What no byte refers to any more, when that is most of it.
void CarriedState::forget_unused() {
  if (store_.size() < 2 * used_ + 100'000) return;
  std::vector<StoreNo> place(store_.size());
  std::vector<Stored> kept(1);
  for (auto it = bytes_.begin(); it != bytes_.end(); ++it) {
    for (StoreNo& from : it.value().from) {
      if (from == 0) continue;
      if (place[from] == 0) {
        place[from] = static_cast<StoreNo>(kept.size());
        kept.push_back(store_[from]);
      }
      from = place[from];
    }
  }
  store_ = std::move(kept);
  used_ = store_.size();
}

}  // namespace racecast::analysis::predict
