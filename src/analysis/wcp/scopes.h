// Which scopes of locks are open while a trace goes by (docs/semantics.md, section 6): a recursive lock makes one scope
// from its first lock to its last unlock, a wait ends a scope altogether, a wake begins the next, a failed try does
// nothing. A lock is an address in one life and has a number of its own, never used again; Contexts (model/contexts.h)
// does the same for sets of locks, but never forgets one, and rules (a) and (b) of wcp must let go of dead locks.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "base/hash.h"
#include "base/ids.h"
#include "model/order/vector_clock.h"
#include "trace/event.h"

namespace racecast::analysis {

using LockNo = std::uint32_t;  // a lock in one life

struct Scope {
  LockNo lock = 0;
  bool shared = false;
  model::Time begin = 0;      // time of the event that took the lock
  std::uint64_t address = 0;  // of the lock
  unsigned depth = 1;         // how often it is held
};

class Scopes {
 public:
  struct Change {
    enum class Kind : std::uint8_t { None, Began, Ended } kind = Kind::None;
    Scope scope;
  };
  // What an event that is no access does to the scopes of its thread; `time` is the event's.
  Change on_event(const trace::Event& event, model::Time time);
  // Locks whose memory the last event gave a new life, or ended; their open scopes stay open.
  const std::vector<LockNo>& died() const { return died_; }

  // In the order in which they began. Valid until the next event.
  std::span<const Scope> open(ThreadId thread) const {
    if (index(thread) >= threads_.size()) return {};
    return threads_[index(thread)].open;
  }
  std::size_t threads() const { return threads_.size(); }
  bool alive(LockNo lock) const { return alive_.contains(lock); }

 private:
  struct ThreadState {
    std::vector<Scope> open;
    unsigned depth_at_wait = 1;
  };

  LockNo number_of(std::uint64_t address);
  Change take(ThreadState& thread, std::uint64_t address, bool shared, model::Time time, unsigned depth);
  static Change give_back(ThreadState& thread, std::uint64_t address, bool altogether);
  void forget(std::uint64_t address, std::uint64_t size);

  std::vector<ThreadState> threads_;
  HashMap<std::uint64_t, LockNo> numbers_;
  std::set<std::uint64_t> addresses_;  // of numbers_, in order
  HashSet<LockNo> alive_;
  std::vector<LockNo> died_;
  LockNo next_ = 0;
};

}  // namespace racecast::analysis
