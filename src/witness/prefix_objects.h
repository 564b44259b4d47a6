// What the prefix judge (prefix_judge.h) keeps of each synchronisation object: its state in the recorded run, and the
// masks of the schedules that keep the events that made it so. Bit k of a mask speaks of schedule k.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/ids.h"

namespace racecast::witness {

__extension__ using Mask = unsigned __int128;
inline constexpr Mask kAll = ~Mask{0};

template <typename Function>
void for_each_bit(Mask mask, Function&& function) {
  for (; mask != 0; mask &= mask - 1) {
    const auto low = static_cast<std::uint64_t>(mask);
    function(static_cast<std::size_t>(low != 0 ? std::countr_zero(low)
                                               : 64 + std::countr_zero(static_cast<std::uint64_t>(mask >> 64))));
  }
}

struct PrefixLock {
  struct Hold {
    ThreadId thread{};
    std::uint64_t depth = 0;
    bool shared = false;
    Mask taken = 0;
  };
  std::vector<Hold> holds;  // in the recorded run, now
  Mask stuck_exclusive = 0, stuck_shared = 0;

  Hold* hold_of(ThreadId thread, bool shared) {
    for (Hold& hold : holds)
      if (hold.thread == thread && hold.shared == shared) return &hold;
    return nullptr;
  }
  // Where a mutex's owner or a writer holds it; `but` for this thread's own hold.
  Mask held_exclusively(std::optional<ThreadId> but = std::nullopt) const {
    Mask mask = stuck_exclusive;
    for (const Hold& hold : holds)
      if (!hold.shared && hold.thread != but) mask |= hold.taken;
    return mask;
  }
  Mask held_by_readers() const {
    Mask mask = stuck_shared;
    for (const Hold& hold : holds)
      if (hold.shared) mask |= hold.taken;
    return mask;
  }
  void take(ThreadId thread, bool shared, Mask mask, std::uint64_t depth = 1) {
    if (Hold* own = hold_of(thread, shared))
      own->depth += depth;
    else
      holds.push_back({thread, depth, shared, mask});
  }
  void give_back(Hold* hold, Mask mask, bool altogether = false) {
    if (!altogether && --hold->depth > 0) return;
    (hold->shared ? stuck_shared : stuck_exclusive) |= hold->taken & ~mask;
    holds.erase(holds.begin() + (hold - holds.data()));
  }
};

struct PrefixCondition {
  std::vector<ThreadId> sleepers;  // that no notify has reached in the recorded run, longest first
};

struct PrefixSemaphore {
  Mask posts = kAll, all = kAll;  // schedules that keep every post; every post and down
};

struct PrefixBarrier {
  struct Round {
    Mask arrived = kAll;
    std::uint64_t here = 0;  // threads whose last arrival it has; without any it is forgotten
  };
  // Arrivals: since it was given these parties. Where they are not known, all arrivals make one round that never ends.
  std::uint64_t arrivals = 0, parties = 1;
  std::uint64_t first_round = 0;  // rounds before that
  std::uint64_t current = 0;      // the round that is being filled
  Mask earlier = kAll;            // keep all arrivals of the rounds before it, with these parties
  std::map<std::uint64_t, Round> rounds;
  std::map<ThreadId, std::uint64_t> round_of;  // last arrival of each thread
};

struct PrefixGuard {
  Mask entered = 0, done = 0;
};

}  // namespace racecast::witness
