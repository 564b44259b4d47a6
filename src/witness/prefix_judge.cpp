// One pass: what is there (locks, sleepers, objects, bytes) is kept as in the recorded run, and with it the mask of the
// schedules in which it is so. Bit k of a mask speaks of claim k of the pass. The bits of a claim that was rejected
// mean nothing any more: its bit is taken from every thread, so that no later event has it.
//
// Two facts carry all: of one thread, a later event's mask is within an earlier one's; and an event that is not kept
// changes nothing in that schedule. So a lock is held in a schedule by whoever took it last in the recorded run, or it
// is *stuck*: somebody's prefix took it and ended before giving it back.
#include "witness/prefix_judge.h"

#include <fmt/format.h>
#include <tsl/robin_map.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "model/memory/byte_map.h"
#include "witness/prefix_objects.h"
#include "witness/prefix_ties.h"

namespace racecast::witness {

using trace::Event;
using trace::EventKind;

namespace {

constexpr std::size_t kClaimsPerPass = 128;
constexpr std::uint64_t kCallback = ~std::uint64_t{0};

// An object is an address in one life.
struct Key {
  std::uint64_t life = 0;  // 0: memory without an alloc
  std::uint64_t address = 0;
  bool operator==(const Key&) const = default;
};
struct KeyHash {
  std::size_t operator()(const Key& key) const { return MixHash()(key.address ^ (key.life << 40)); }
};
template <typename T>
using Objects = tsl::robin_map<Key, T, KeyHash>;

struct Life {
  std::uint64_t id = 0;
  std::uint64_t size = 0;
  Mask alloc = 0;              // schedules that keep its alloc
  Mask racing = 0;             // claims that have an access of this life
  std::vector<Key> objects{};  // that live in it
};

// ---- claims and threads

struct Broken {
  std::string_view rule;
  std::string detail;
};

struct Claim {
  const PrefixClaim* claim = nullptr;
  std::uint64_t threads_left = 0;  // whose prefix has not come to its end
  // The two accesses, once they have been seen; a is [0].
  std::array<bool, 2> seen{};
  std::array<Event, 2> access{};
  std::array<std::uint64_t, 2> life{};
  std::array<std::optional<Broken>, 2> broken;
  std::optional<Judgement> judgement;

  bool open() const { return !judgement && (threads_left > 0 || !seen[0] || !seen[1]); }
};

struct Thread {
  Mask next = 0;            // schedules that keep its next event
  Mask last = kAll;         // and its last one so far
  std::uint64_t count = 0;  // events so far
  struct End {
    std::uint64_t kept = 0;
    Mask ends = 0;  // schedules that keep just so many
  };
  std::vector<End> ends;  // not yet reached, last first
  Mask forked = kAll;
  Mask notified = 0;                // while asleep: the notify that was for it
  std::uint64_t depth_at_wait = 1;  // how often it held the mutex that its wait gave back
  // Where it is: reach sets of missing code, and kCallback where that called a recorded function; outermost first.
  std::vector<std::uint64_t> inside;
};

class Pass {
 public:
  // `definitions` are those of the source, and may grow. Without `ties`, missing code must not occur.
  Pass(const trace::Definitions& definitions, std::span<const PrefixClaim* const> claims, bool ties)
      : definitions_(definitions) {
    if (ties) ties_.emplace();
    for (std::size_t k = 0; k < claims.size(); ++k) {
      Claim& claim = claims_.emplace_back();
      claim.claim = claims[k];
      for (const std::uint32_t kept : claims[k]->prefix.kept) claim.threads_left += kept > 0 ? 1 : 0;
      alive_ |= Mask{1} << k;
      accesses_.push_back({index(claims[k]->a), k, 0});
      accesses_.push_back({index(claims[k]->b), k, 1});
    }
    open_ = claims.size();
    std::sort(accesses_.begin(), accesses_.end(), [](const auto& x, const auto& y) { return x.event > y.event; });
  }

  // Nothing that is still to come can matter.
  bool done() const { return open_ == 0; }

  void event(const Event& e) {
    const std::size_t t = index(e.thread);
    if (t >= threads_.size()) [[unlikely]]
      grow(t);
    if (!accesses_.empty() && accesses_.back().event == no_) [[unlikely]]
      racing(e);
    const Mask mask = threads_[t].next;
    perform(e, mask);
    Thread& thread = threads_[t];
    thread.last = mask;
    ++thread.count;
    ++no_;
    if (!thread.ends.empty() && thread.ends.back().kept == thread.count) [[unlikely]]
      end_of_prefix(thread);
  }

  // The claims' judgements, after the last event that matters.
  Judgement judgement(std::size_t k) {
    Claim& claim = claims_[k];
    if (claim.judgement) return *claim.judgement;
    std::size_t size = 0;
    for (const std::uint32_t kept : claim.claim->prefix.kept) size += kept;
    const auto rejected = [&](std::string_view rule, std::string detail) {
      return Judgement{false, rule, size, std::move(detail), {}};
    };
    if (claim.threads_left > 0) return rejected("prefix", "the schedule has more events than the trace");
    if (!claim.seen[0] || !claim.seen[1]) return rejected("race", "there is no such event in the trace");
    if (!trace::conflict(claim.access[0], claim.access[1]) || claim.life[0] != claim.life[1])
      return rejected("race", "the two events do not conflict");
    for (std::optional<Broken>& broken : claim.broken)
      if (broken) return rejected(broken->rule, std::move(broken->detail));
    return {true, {}, size, {}, {}};
  }

 private:
  // Claims for which something is still to come.
  Mask open() const { return alive_ & ~closed_; }
  void close(std::size_t k) {
    if (claims_[k].open()) return;
    --open_;
    closed_ |= Mask{1} << k;
  }

  struct ClaimedAccess {
    std::uint64_t event = 0;
    std::size_t claim = 0;
    std::size_t side = 0;
  };

  void grow(std::size_t t) {
    const std::size_t before = threads_.size();
    threads_.resize(t + 1);
    for (std::size_t i = before; i <= t; ++i) {
      Thread& thread = threads_[i];
      for_each_bit(alive_, [&](std::size_t k) {
        const std::uint64_t kept = claims_[k].claim->prefix.of(ThreadId{static_cast<std::uint32_t>(i)});
        if (kept == 0) return;
        thread.next |= Mask{1} << k;
        thread.ends.push_back({kept, Mask{1} << k});
      });
      std::sort(thread.ends.begin(), thread.ends.end(), [](const auto& x, const auto& y) { return x.kept > y.kept; });
    }
  }
  Thread& thread(ThreadId id) {
    if (index(id) >= threads_.size()) grow(index(id));
    return threads_[index(id)];
  }

  void end_of_prefix(Thread& thread) {
    while (!thread.ends.empty() && thread.ends.back().kept == thread.count) {
      thread.next &= ~thread.ends.back().ends;
      for_each_bit(thread.ends.back().ends & alive_, [&](std::size_t k) {
        --claims_[k].threads_left;
        close(k);
      });
      thread.ends.pop_back();
    }
  }

  // Rejects the schedules of `mask` that are not in `needed`, and takes them out of it.
  void need(Mask& mask, Mask needed, std::string_view rule, std::string_view detail) {
    if ((mask & ~needed) != 0) [[unlikely]]
      reject(mask & ~needed & alive_, rule, detail);
    mask &= needed;
  }
  void reject(Mask schedules, std::string_view rule, std::string_view detail) {
    for_each_bit(schedules, [&](std::size_t k) {
      Claim& claim = claims_[k];
      std::uint64_t step = 0;
      for (std::size_t t = 0; t < threads_.size(); ++t)
        step +=
            std::min<std::uint64_t>(threads_[t].count, claim.claim->prefix.of(ThreadId{static_cast<std::uint32_t>(t)}));
      // A claim that is not open has no event left that could be rejected.
      --open_;
      claim.judgement = Judgement{false, rule, step, fmt::format("event {}: {}", no_, detail), {}};
    });
    alive_ &= ~schedules;
    for (Thread& thread : threads_) thread.next &= ~schedules;
  }

  // ---- lives

  // The life that is on at an address; null: none.
  Life* life_at(std::uint64_t address) {
    if (lives_.empty()) return nullptr;
    auto next = lives_.upper_bound(address);
    if (next == lives_.begin()) return nullptr;
    auto& [start, life] = *std::prev(next);
    return address - start < life.size ? &life : nullptr;
  }
  template <typename T>
  T& at(Objects<T>& objects, std::uint64_t address) {
    Life* const life = life_at(address);
    const Key key{life == nullptr ? 0 : life->id, address};
    auto [it, fresh] = objects.try_emplace(key);
    if (fresh && life != nullptr) life->objects.push_back(key);
    return it.value();
  }
  void end_life(std::map<std::uint64_t, Life>::iterator it) {
    for (const Key& key : it->second.objects) {
      locks_.erase(key);
      conditions_.erase(key);
      semaphores_.erase(key);
      barriers_.erase(key);
      guards_.erase(key);
    }
    lives_.erase(it);
  }

  // ---- the two accesses of a claim

  // Everything that decides whether an access is next after the schedule lies before it, save its object's free.
  void racing(const Event& e) {
    for (; !accesses_.empty() && accesses_.back().event == no_; accesses_.pop_back()) {
      const auto [no, k, side] = accesses_.back();
      Claim& claim = claims_[k];
      if (claim.judgement) continue;
      const Thread& self = threads_[index(e.thread)];
      const Mask bit = Mask{1} << k;
      const auto broken = [&](std::string_view rule, std::string_view what) {
        if (!claim.broken[side]) claim.broken[side] = Broken{rule, fmt::format("event {}: {}", no, what)};
      };
      claim.seen[side] = true;
      claim.access[side] = e;
      if (claim.claim->prefix.of(e.thread) != self.count) broken("prefix", "it is not the next one of its thread");
      if ((self.forked & bit) == 0) broken("life-of-threads", "its thread has not been forked");
      if (Life* const life = life_at(e.address);
          life != nullptr && (trace::is_access(e.kind) || e.kind == EventKind::Free)) {
        claim.life[side] = life->id;
        life->racing |= bit;
        if ((life->alloc & bit) == 0) broken("object-life", "its object is not there yet");
      }
      if (ties_ && (ties_->needed(e, sections_of(e), bit) & bit) == 0)
        broken("missing-order", "it is tied to an earlier one that is not there");
      close(k);
    }
  }
  void racing_object_freed(Mask claims) {
    for_each_bit(claims, [&](std::size_t k) {
      for (std::optional<Broken>& broken : claims_[k].broken)
        if (!broken) broken = Broken{"object-life", fmt::format("its object is gone since event {}", no_)};
    });
  }

  // ---- the rules, in the order of docs/semantics.md

  void perform(const Event& e, Mask mask) {
    const Thread& self = threads_[index(e.thread)];
    if (self.count == 0) need(mask, self.forked, "life-of-threads", "its thread has not been forked");
    if (ties_) [[unlikely]]
      return perform_tied(e, mask);
    if (trace::is_access(e.kind)) {
      if (!lives_.empty()) object_life(e, mask);
      access(e, mask);
    } else {
      other(e, mask);
    }
  }

  void perform_tied(const Event& e, Mask mask) {
    if (!trace::is_access(e.kind)) other(e, mask);
    if (trace::is_access(e.kind)) object_life(e, mask);
    const auto sections = sections_of(e);
    need(mask, ties_->needed(e, sections, mask & open()), "missing-order",
         "it is tied to an earlier one that is not there");
    if (trace::is_access(e.kind)) access(e, mask);
    ties_->happened(e, sections, mask | ~open());
    std::vector<std::uint64_t>& inside = thread(e.thread).inside;
    inside.resize(depth_at(e, inside));
    if (e.kind == EventKind::MissingBegin) inside.push_back(e.address);
    if (e.kind == EventKind::Call && !inside.empty()) inside.push_back(kCallback);
    if (e.kind == EventKind::MissingEnd && !inside.empty()) inside.pop_back();
  }
  // A return ends a callback, and the end of a section all callbacks that are in it.
  static std::size_t depth_at(const Event& e, const std::vector<std::uint64_t>& inside) {
    std::size_t depth = inside.size();
    if (e.kind == EventKind::Return && depth > 0 && inside[depth - 1] == kCallback) --depth;
    while (e.kind == EventKind::MissingEnd && depth > 0 && inside[depth - 1] == kCallback) --depth;
    return depth;
  }
  // The reach sets of the sections that an event is an own point of: those that its thread is in and that it left by no
  // callback, and the one that it begins.
  std::span<const trace::ReachSet* const> sections_of(const Event& e) {
    reach_.clear();
    const std::vector<std::uint64_t>& inside = thread(e.thread).inside;
    for (std::size_t depth = depth_at(e, inside); depth > 0 && inside[depth - 1] != kCallback; --depth)
      reach_.push_back(&definitions_.reach[inside[depth - 1]]);
    if (e.kind == EventKind::MissingBegin) reach_.push_back(&definitions_.reach[e.address]);
    return reach_;
  }

  void object_life(const Event& e, Mask& mask) {
    if (const Life* const life = life_at(e.address))
      need(mask, life->alloc, "object-life", "its object is not there yet");
  }

  // A section counts as a writer too; but whoever reads what it reaches is tied to all of its events, and they to every
  // write before them: if what missing-order needs is kept, it is enough to ask for the last real write.
  void access(const Event& e, Mask mask) {
    if (trace::reads(e)) {
      Mask writers = kAll;
      writers_.for_each(e.address, e.size, [&](model::ByteMask, Mask writer) { writers &= writer; });
      need(mask, writers,
           !definitions_.branches ? "value-all"
           : e.has(trace::kCas)   ? "value-cas"
                                  : "value",
           "the write that it read from is not there");
    }
    if (trace::is_append(e))  // a state read needs all of them
      writers_.for_each(e.address, e.size, [&](model::ByteMask, Mask earlier) { mask &= earlier; });
    if (trace::writes(e)) writers_.assign(e.address, e.size, mask);
  }

  void other(const Event& e, Mask& mask) {
    switch (trace::row_of(e.kind).group) {
      case trace::Group::Life: return thread_life(e, mask);
      case trace::Group::Lock: return lock(e, mask);
      case trace::Group::Sync: return other_sync(e, mask);
      case trace::Group::Memory: return memory(e, mask);
      default: return;
    }
  }

  void thread_life(const Event& e, Mask& mask) {
    if (e.kind == EventKind::Fork) thread(e.child()).forked = mask;
    if (e.kind == EventKind::Join)
      need(mask, thread(e.child()).last, "life-of-threads", "the joined thread has not ended");
  }

  void lock(const Event& e, Mask& mask) {
    const bool failed = e.has(trace::kFailed);
    const bool of_wait = e.kind == EventKind::Wait || e.kind == EventKind::Wake;
    PrefixLock& lock = at(locks_, of_wait ? e.aux : e.address);
    const auto take = [&](Mask excluded, std::string_view rule, bool shared) {
      if (failed) return need(mask, excluded, "try", "the lock is free");
      need(mask, ~excluded, rule, "the lock is held");
      lock.take(e.thread, shared, mask);
    };
    switch (e.kind) {
      case EventKind::Lock: {
        const bool own_counts = failed && !e.has(trace::kRecursive);
        return take(own_counts ? lock.held_exclusively() : lock.held_exclusively(e.thread), "mutex", false);
      }
      case EventKind::RdLock: return take(lock.held_exclusively(), "rwlock", true);
      case EventKind::WrLock: return take(lock.held_exclusively() | lock.held_by_readers(), "rwlock", false);
      case EventKind::Unlock: {
        PrefixLock::Hold* const hold = lock.hold_of(e.thread, false);
        need(mask, hold == nullptr ? 0 : hold->taken, "mutex", "its thread does not hold the mutex");
        if (hold != nullptr) lock.give_back(hold, mask);
        return;
      }
      case EventKind::RwUnlock: {
        PrefixLock::Hold* hold = lock.hold_of(e.thread, false);
        if (hold == nullptr) hold = lock.hold_of(e.thread, true);
        need(mask, hold == nullptr ? 0 : hold->taken, "rwlock", "its thread does not hold the lock");
        if (hold != nullptr) lock.give_back(hold, mask);
        return;
      }
      case EventKind::Wait: return wait(e, mask, lock);
      default: return wake(e, mask, lock);
    }
  }

  void wait(const Event& e, Mask& mask, PrefixLock& mutex) {
    PrefixLock::Hold* const hold = mutex.hold_of(e.thread, false);
    need(mask, hold == nullptr ? 0 : hold->taken, "wait", "its thread does not hold the mutex");
    Thread& self = thread(e.thread);
    self.depth_at_wait = hold == nullptr ? 1 : hold->depth;
    self.notified = 0;
    if (hold != nullptr) mutex.give_back(hold, mask, true);
    at(conditions_, e.address).sleepers.push_back(e.thread);
  }
  void wake(const Event& e, Mask& mask, PrefixLock& mutex) {
    need(mask, ~mutex.held_exclusively(), "wait", "the mutex is held");
    Thread& self = thread(e.thread);
    if (e.has(trace::kFailed) || e.has(trace::kSpurious))
      std::erase(at(conditions_, e.address).sleepers, e.thread);
    else
      need(mask, self.notified, "wait", "no notify is left for it");
    mutex.take(e.thread, false, mask, self.depth_at_wait);
  }
  void notify(const Event& e, Mask mask) {
    std::vector<ThreadId>& sleepers = at(conditions_, e.address).sleepers;
    const std::size_t count =
        e.kind == EventKind::NotifyAll ? sleepers.size() : std::min<std::size_t>(1, sleepers.size());
    for (std::size_t i = 0; i < count; ++i) thread(sleepers[i]).notified = mask;
    sleepers.erase(sleepers.begin(), sleepers.begin() + static_cast<std::ptrdiff_t>(count));
  }

  void other_sync(const Event& e, Mask& mask) {
    switch (e.kind) {
      case EventKind::Notify:
      case EventKind::NotifyAll: return notify(e, mask);
      case EventKind::SemPost: {
        PrefixSemaphore& semaphore = at(semaphores_, e.address);
        semaphore.posts &= mask;
        semaphore.all &= mask;
        return;
      }
      case EventKind::SemWait: {
        PrefixSemaphore& semaphore = at(semaphores_, e.address);
        if (e.has(trace::kFailed)) return need(mask, semaphore.all, "try", "the count may not be 0");
        need(mask, semaphore.posts, "semaphore", "an earlier post is not there");
        semaphore.all &= mask;
        return;
      }
      case EventKind::BarrierArrive: return arrive(e, mask);
      case EventKind::BarrierLeave: return leave(e, mask);
      case EventKind::OnceEnter: {
        PrefixGuard& guard = at(guards_, e.address);
        need(mask, ~guard.entered, "once", "the guard has been entered");
        guard.entered |= mask;
        return;
      }
      case EventKind::OnceDone: {
        PrefixGuard& guard = at(guards_, e.address);
        need(mask, guard.entered, "once", "the guard has not been entered");
        guard.done = mask;
        return;
      }
      case EventKind::OnceSeen: return need(mask, at(guards_, e.address).done, "once", "the guard is not done");
      default: return;
    }
  }

  void arrive(const Event& e, Mask& mask) {
    PrefixBarrier& barrier = at(barriers_, e.address);
    const std::uint64_t parties = e.has(trace::kHasValue) ? std::max<std::uint64_t>(e.value, 1) : ~std::uint64_t{0};
    if (parties != barrier.parties && barrier.arrivals != 0) {  // another barrier
      barrier.first_round += (barrier.arrivals - 1) / barrier.parties + 1;
      barrier.arrivals = 0;
      barrier.current = barrier.first_round;
      barrier.earlier = kAll;
    }
    barrier.parties = parties;
    const std::uint64_t round = barrier.first_round + barrier.arrivals++ / barrier.parties;
    if (round != barrier.current) {
      // It is still there: a round is forgotten by later arrivals only.
      barrier.earlier &= barrier.rounds.at(barrier.current).arrived;
      barrier.current = round;
    }
    // The schedule's rounds are the recorded ones only if none before this one has a gap.
    need(mask, barrier.earlier, "barrier", "an earlier round is not complete");
    barrier.rounds[round].arrived &= mask;
    ++barrier.rounds[round].here;
    if (const auto [mine, first] = barrier.round_of.try_emplace(e.thread, round); !first) {
      const auto left = barrier.rounds.find(std::exchange(mine->second, round));
      if (--left->second.here == 0) barrier.rounds.erase(left);
    }
  }
  // Where the parties are not known, it needs all arrivals so far.
  void leave(const Event& e, Mask& mask) {
    PrefixBarrier& barrier = at(barriers_, e.address);
    const auto mine = barrier.round_of.find(e.thread);
    if (mine == barrier.round_of.end()) return need(mask, 0, "barrier", "its thread has not arrived");
    need(mask, barrier.rounds.at(mine->second).arrived, "barrier", "its round is not complete");
  }

  // Lives are those of the recorded run in every schedule: what died is forgotten, whoever keeps its free.
  void memory(const Event& e, Mask& mask) {
    auto it = lives_.find(e.address);
    if (e.kind == EventKind::Alloc) {
      if (it != lives_.end()) end_life(it);
      lives_.emplace(e.address, Life{++last_life_, e.size, mask, 0, {}});
      writers_.erase(e.address, e.size);
    } else if (it == lives_.end()) {
      writers_.erase(e.address, e.size);
    } else {
      need(mask, it->second.alloc, "object-life", "its object is not there yet");
      racing_object_freed(mask & it->second.racing);
      writers_.erase(e.address, it->second.size);
      end_life(it);
    }
  }

  const trace::Definitions& definitions_;
  std::vector<Claim> claims_;
  std::vector<ClaimedAccess> accesses_;  // not yet reached, last first
  Mask alive_ = 0;                       // claims that have not been rejected
  Mask closed_ = 0;                      // claims for which nothing is
  std::size_t open_ = 0;                 // claims for which something is still to come
  std::uint64_t no_ = 0;                 // of the event at hand
  std::vector<Thread> threads_;
  model::ByteMap<Mask> writers_;  // schedules that keep the last write; none: initial content
  std::optional<PrefixTies> ties_;
  std::vector<const trace::ReachSet*> reach_;
  std::map<std::uint64_t, Life> lives_;  // that are on, by address
  std::uint64_t last_life_ = 0;
  Objects<PrefixLock> locks_;
  Objects<PrefixCondition> conditions_;
  Objects<PrefixSemaphore> semaphores_;
  Objects<PrefixBarrier> barriers_;
  Objects<PrefixGuard> guards_;
};

}  // namespace

Result<std::vector<Judgement>> judge_prefixes(const std::function<Result<std::unique_ptr<trace::EventSource>>()>& open,
                                              std::span<const PrefixClaim> claims,
                                              const std::function<void(std::uint64_t events)>& progress) {
  // Claims that end early together, so that their pass does.
  const auto later = [&](std::size_t i) { return std::max(claims[i].a, claims[i].b); };
  std::vector<std::size_t> order(claims.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](std::size_t x, std::size_t y) { return std::pair(later(x), x) < std::pair(later(y), y); });

  std::vector<Judgement> judgements(claims.size());
  bool ties = false;
  for (std::size_t first = 0; first < order.size();) {
    const std::size_t count = std::min(kClaimsPerPass, order.size() - first);
    std::vector<const PrefixClaim*> chosen;
    chosen.reserve(count);
    for (std::size_t i = 0; i < count; ++i) chosen.push_back(&claims[order[first + i]]);
    RC_TRY(const std::unique_ptr<trace::EventSource> source, open());
    ties = ties || source->has_missing_code().value_or(false);
    Pass pass(source->definitions(), chosen, ties);
    std::uint64_t events = 0;
    bool again = false;  // a section nobody told us of: events before it can be tied to it, so begin again
    while (!pass.done() && !again) {
      RC_TRY(const std::span<const Event> batch, source->next());
      if (batch.empty()) break;
      for (const Event& e : batch) {
        if (e.kind == EventKind::MissingBegin && !ties) again = true;
        if (again || pass.done()) break;
        pass.event(e);
      }
      events += batch.size();
      if (progress) progress(events);
    }
    if (again) {
      ties = true;
      continue;
    }
    for (std::size_t i = 0; i < count; ++i) judgements[order[first + i]] = pass.judgement(i);
    first += count;
  }
  return judgements;
}

}  // namespace racecast::witness
