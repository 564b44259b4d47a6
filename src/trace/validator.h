// The rules that every trace obeys, checked event by event: locks, condition variables, barriers, once-guards, the
// lives of threads and objects. Analyses take them for granted.
//
// The state is what is alive now (held locks, sleepers, threads, objects, guards), not the trace's length. A trace may
// begin in the middle of a run where that is harmless: a return without a call, a join of a thread whose fork was not
// seen but that ran, a semaphore whose count at the start is unknown. docs/trace_format.md lists the rules; the table
// below is the same list, and a test compares them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/result.h"
#include "trace/trace.h"

namespace racecast::trace {

// Bounds that keep the work per event bounded: a recorder splits larger copies, and says `everything` for a larger
// reach.
inline constexpr std::uint32_t kMaxAccess = 65'536;
inline constexpr std::uint64_t kMaxReach = std::uint64_t{1} << 20;

struct Rule {
  std::string_view name;
  std::string_view sentence;
};
inline constexpr Rule kRules[] = {
    {"form", "An event refers only to what is defined, and sets only the members that its kind uses."},
    {"range",
     "An access has 1 to 65,536 bytes; missing code reaches at most 1 MiB, or everything; neither these nor objects "
     "exceed the address space."},
    {"state",
     "State outside of memory is read by an aread, or a rmw that is a failed cas, both acquire; it is written by a rmw "
     "that is an append and no cas, release. All have one byte and no value. Nothing else is an append, and no memory "
     "lies there."},
    {"lock-held", "A mutex is taken only while no other thread holds it, and by its holder only if it is recursive."},
    {"lock-failed",
     "An attempt at a mutex fails only while it is held: by another thread, or by this one where it is not recursive."},
    {"unlock-held", "A mutex is given back only by its holder."},
    {"rwlock-held",
     "A reader-writer lock is taken for reading only while no thread writes, for writing only while no thread holds it "
     "(its recursive writer excepted)."},
    {"rwlock-failed", "An attempt at a reader-writer lock fails only while it is held in a way that excludes it."},
    {"rwunlock-held", "A reader-writer lock is given back only by a thread that holds it."},
    {"wait-holds", "A thread begins to wait only with the mutex held."},
    {"asleep", "A thread that waits does nothing until it wakes."},
    {"wake-waits", "A thread wakes only from the condition on which, and with the mutex with which, it waits."},
    {"wake-free", "A thread wakes only while no thread holds the mutex."},
    {"wake-notified",
     "A wake that is neither spurious nor a time-out follows a notify of its sleeper; a notify wakes the longest "
     "sleeper."},
    {"sem-count", "A semaphore whose count at the start is known is taken only while its count is above zero."},
    {"sem-failed", "An attempt at a semaphore whose count at the start is known fails only while its count is zero."},
    {"barrier-round",
     "A thread leaves a barrier only when as many as the barrier has parties have arrived in its round."},
    {"barrier-arrived", "A thread leaves a barrier only after it has arrived there."},
    {"once-enter", "The initialiser of a guard is entered once."},
    {"once-done", "A guard is done when the thread that entered its initialiser says so."},
    {"once-seen", "A guard is found initialised only after it was done."},
    {"begin-first", "A thread's begin is its first event."},
    {"after-end", "A thread has no event after its end or after a join of it."},
    {"fork-self", "A thread does not fork itself."},
    {"fork-once", "A thread is forked at most once."},
    {"fork-fresh", "A thread that is forked has no event before its fork."},
    {"join-self", "A thread does not join itself."},
    {"join-forked", "A thread that is joined was forked or has run."},
    {"missing-open", "Missing code ends only after it began."},
    {"alloc-live", "A new object does not overlap a live one."},
    {"free-live",
     "What dies is a live object, from its first byte and with its size; in a trace without any object, any address "
     "may die."},
};

class Validator {
 public:
  // `definitions` may grow and must outlive the validator.
  explicit Validator(const Definitions& definitions);
  Validator(Validator&&) noexcept;
  Validator& operator=(Validator&&) noexcept;
  ~Validator();

  // bad_input: "event 17: rule `lock-held`: T2 takes m, which T1 holds since event 5". After an error the state is that
  // before the event.
  Status add(const Event& event);
  // One after the other, up to the first error; quicker than one by one.
  Status add(std::span<const Event> events);
  bool saw_missing_code() const;
  std::uint64_t events() const;  // accepted so far

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The first broken rule of a whole trace, if any.
Status validate(const Trace& trace);
Status validate(EventSource& source);

}  // namespace racecast::trace
