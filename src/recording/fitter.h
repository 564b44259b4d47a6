// Fits synchronisation to the rules of a trace (trace/validator.h) where a real run, seen through hooks, breaks them:
// a lock is given back in code without hooks, a sleeper is woken out of turn, a try failed because of a holder that
// nobody saw. The least is changed: an operation that can have had no effect is dropped, one that must have happened is
// put in.
//
// It keeps what is held and who sleeps, as the validator does, because it must know it before the event is accepted.
// Whatever it hands on is validated again.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "base/hash.h"
#include "trace/event.h"

namespace racecast::recording {

class Fitter {
 public:
  // Appends what stands in the place of `e`: nothing, itself, more. Kinds other than locks, conditions and ends of
  // threads stay as they are.
  void fit(const trace::Event& e, std::vector<trace::Event>& out);
  // A thread that waits does something else (it was cancelled): appends the wake that it needs before. Nothing where it
  // does not wait, or where its mutex is taken.
  void rouse(ThreadId thread, LocationId location, std::vector<trace::Event>& out);
  // Something weaker to say in the place of what the validator refused; nullopt: nothing. Semaphores: without their
  // count at the start. Guards: an acquire or a release at an address of no memory, which orders the same.
  static std::optional<trace::Event> weaker(const trace::Event& e);

  std::uint64_t dropped() const { return dropped_; }
  std::uint64_t inserted() const { return inserted_; }
  std::uint64_t spurious() const { return spurious_; }  // wakes that no notify was for

 private:
  struct Hold {
    ThreadId holder{};
    std::uint64_t depth = 0;
  };
  struct RwHold {
    std::optional<Hold> writer;
    std::vector<Hold> readers;
  };
  struct Sleep {
    std::uint64_t condition = 0, mutex = 0, depth = 0;
    bool notified = false;
  };
  struct Thread {
    bool ended = false;
    std::optional<Sleep> sleep;
  };

  Thread& thread(ThreadId id) {
    if (index(id) >= threads_.size()) threads_.resize(index(id) + 1);
    return threads_[index(id)];
  }
  bool can_act(ThreadId id) { return !thread(id).ended && !thread(id).sleep; }
  void insert(trace::EventKind kind, ThreadId thread, std::uint64_t address, LocationId location,
              std::vector<trace::Event>& out);
  bool make_free(std::uint64_t mutex, LocationId location, std::vector<trace::Event>& out);
  void end(const trace::Event& e, std::vector<trace::Event>& out);
  void lock(const trace::Event& e, std::vector<trace::Event>& out);
  void unlock(const trace::Event& e, std::vector<trace::Event>& out);
  void rw_lock(const trace::Event& e, std::vector<trace::Event>& out);
  void rw_unlock(const trace::Event& e, std::vector<trace::Event>& out);
  void wait(const trace::Event& e, std::vector<trace::Event>& out);
  void wake(trace::Event e, std::vector<trace::Event>& out);
  void notify(const trace::Event& e);
  void drop() { ++dropped_; }

  HashMap<std::uint64_t, Hold> mutexes_;                   // held ones
  HashMap<std::uint64_t, RwHold> rwlocks_;                 // held ones
  HashMap<std::uint64_t, std::deque<ThreadId>> sleepers_;  // by condition, longest first, not notified
  std::vector<Thread> threads_;
  std::uint64_t dropped_ = 0, inserted_ = 0, spurious_ = 0;
};

}  // namespace racecast::recording
