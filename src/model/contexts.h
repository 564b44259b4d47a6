// In which context a thread is while a trace goes by: the locks that it holds and the calls it is in. Both are
// interned, so that an access can remember its context in two words; memory is bounded by the number of distinct
// contexts. Every step from one context to the next is remembered, so a lock operation costs two look-ups.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "base/hash.h"
#include "base/ids.h"
#include "trace/event.h"

namespace racecast::model {

struct Hold {
  std::uint64_t lock = 0;  // address
  bool shared = false;
  std::uint32_t number = 0;  // tells locks apart that lived at one address, one after the other
  auto operator<=>(const Hold&) const = default;
};

// 0 is the empty set. The order in which locks were taken is part of a set's identity; none of the answers depends on
// it.
using LocksetId = std::uint32_t;

class Contexts {
 public:
  void on_event(const trace::Event& event);

  LocksetId lockset(ThreadId thread) { return state(thread).lockset; }
  std::uint32_t stack(ThreadId thread) { return state(thread).stack; }
  // Held locks in the order they were taken; a recursive one once.
  const std::vector<Hold>& locks(LocksetId lockset) const { return *locksets_[lockset]; }
  // Is there a common lock, of which at least one of the two holds is exclusive?
  bool exclude_each_other(LocksetId a, LocksetId b);
  // The locks of `set` that `held` has, too (if `exclusively`: exclusively), as exclusive holds.
  LocksetId common(LocksetId set, LocksetId held, bool exclusively);
  // Call sites, innermost first.
  std::vector<LocationId> call_sites(std::uint32_t stack) const;

 private:
  struct ThreadState {
    LocksetId lockset = 0;
    std::uint32_t stack = 0;
    std::map<std::uint64_t, unsigned> depth;  // recursive holds, beyond the first
    unsigned depth_at_wait = 0;
  };
  struct Call {
    std::uint32_t caller = 0;
    LocationId site{};
  };
  ThreadState& state(ThreadId thread) {
    if (index(thread) >= threads_.size()) threads_.resize(index(thread) + 1);
    return threads_[index(thread)];
  }
  LocksetId intern(std::vector<Hold> holds);
  std::uint32_t number_of(std::uint64_t lock);
  void take(ThreadState& thread, std::uint64_t lock, bool shared);
  void give_back(ThreadState& thread, std::uint64_t lock, bool altogether);

  std::vector<ThreadState> threads_;
  std::map<std::vector<Hold>, LocksetId> lockset_ids_{{{}, 0}};
  std::vector<const std::vector<Hold>*> locksets_{&lockset_ids_.begin()->first};
  // (set, lock * 2 + shared) → set; (set, lock) → set; (set, set, ...) → answer.
  HashMap<std::uint64_t, LocksetId> taken_, given_back_, common_of_all_, common_exclusive_;
  HashMap<std::uint64_t, bool> excluding_;
  HashMap<std::uint64_t, std::uint32_t> numbers_;  // lock address → number, of its present life
  std::set<std::uint64_t> addresses_;              // of numbers_, in order
  std::uint32_t next_number_ = 0;
  std::map<std::pair<std::uint32_t, LocationId>, std::uint32_t> call_ids_;
  std::vector<Call> calls_{{}};  // 0: the bottom of every stack
};

}  // namespace racecast::model
