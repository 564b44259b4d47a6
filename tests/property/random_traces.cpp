#include "property/random_traces.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "property/random_litmus.h"

namespace racecast::property {

using trace::Event;
using trace::EventKind;

namespace {

constexpr int kThreads = 3;
constexpr std::uint64_t kData = 0x1000, kHeap = 0x2000;  // 12 bytes of globals, 8 bytes that objects live in
constexpr std::uint64_t kMutex = 0x3000, kRecursiveMutex = 0x3040, kRwLock = 0x3080, kCondition = 0x30c0,
                        kSemaphore = 0x3100, kBarrier = 0x3140, kGuard = 0x3180;
constexpr std::uint64_t kParties = 2;

// Draws a thread and something it can do now, over and over. The state is that of a machine, so the trace is valid.
class Generator {
 public:
  Generator(std::uint64_t seed, const TraceFlavour& flavour) : random_(seed), flavour_(flavour) {
    trace::Definitions& definitions = trace_.definitions;
    definitions.threads = {"T0", "T1", "T2"};
    definitions.symbols = {{kData, 12, 0, "x"},          {kHeap, 8, 0, "h"},    {kMutex, 8, 0, "m"},
                           {kRecursiveMutex, 8, 0, "r"}, {kRwLock, 8, 0, "w"},  {kCondition, 8, 0, "c"},
                           {kSemaphore, 8, 0, "s"},      {kBarrier, 8, 0, "b"}, {kGuard, 8, 0, "g"}};
    definitions.reach = {{false, {{kData, 4}}},
                         {false, {{kData + 2, 8}}},
                         {false, {{kMutex, 8}}},
                         {false, {{kHeap, 8}}},

                         {false, {}},
                         {true, {}},
                         {false, {{kData, 1}, {kCondition, 8}}}};
    definitions.strings = {"f"};
    definitions.branches = random_.chance(60);
    valued_ = random_.chance(75);
    count_known_ = random_.chance(50);
    parties_known_ = random_.chance(70);
    count_ = random_.below(2);
    start_count_ = static_cast<std::uint64_t>(count_);
    // Each trace has a few subjects, or it would have room for none.
    for (bool& subject : subjects_) subject = random_.chance(40);
    forks_ = random_.chance(40);
  }

  trace::Trace run() {
    for (int tries = 0; tries < 40 * flavour_.max_events; ++tries) {
      if (static_cast<int>(trace_.events.size()) >= flavour_.max_events) break;
      act(random_.below(kThreads));
    }
    for (std::size_t i = 0; i < trace_.events.size(); ++i) {
      trace_.events[i].location = static_cast<LocationId>(i);
      trace_.definitions.locations.push_back({"", 0, 0, "", std::to_string(i)});
    }
    return std::move(trace_);
  }

 private:
  enum Subject { Mutexes, RwLocks, Conditions, Semaphores, Barriers, Guards, Objects, Missing, Atomics, kSubjects };
  struct Thread {
    bool ended = false, asleep = false, notified = false, at_barrier = false;
    bool forked = false, begun = false;
    int slept_depth = 0, round = 0, sections = 0;
    std::uint64_t slept_with = 0;
  };
  struct Lock {
    int holder = -1, depth = 0;
    std::map<int, int> readers;
  };

  void add(Event e, int t) {
    const trace::Group group = trace::row_of(e.kind).group;
    const bool has_address = group == trace::Group::Access || group == trace::Group::Lock ||
                             (group == trace::Group::Sync && e.kind != EventKind::Fence);
    if (has_address && random_.chance(10)) e.flags |= trace::kComputed;
    e.thread = static_cast<ThreadId>(t);
    trace_.events.push_back(e);
    threads_[t].begun = true;
  }

  void act(int t) {
    Thread& thread = threads_[t];
    if (thread.ended) return;
    if (forks_ && t > 0 && !thread.forked) {
      if (!threads_[0].ended && !threads_[0].asleep && !threads_[0].at_barrier && random_.chance(50)) {
        add({.kind = EventKind::Fork, .aux = static_cast<std::uint64_t>(t)}, 0);
        thread.forked = true;
      }
      return;
    }
    if (thread.asleep) return wake(t);
    if (thread.at_barrier) {
      if (arrivals_ < (thread.round + 1) * static_cast<int>(kParties)) return;
      thread.at_barrier = false;
      return add({.kind = EventKind::BarrierLeave, .address = kBarrier}, t);
    }
    if (random_.chance(45)) return access(t);
    const int subject = random_.below(kSubjects + 2);
    if (subject == kSubjects) return control(t);
    if (subject > kSubjects) return life(t);
    if (!subjects_[subject]) return;
    switch (subject) {
      case Mutexes: return mutex(t, random_.chance(50) ? kMutex : kRecursiveMutex);
      case RwLocks: return rwlock(t);
      case Conditions: return condition(t);
      case Semaphores: return semaphore(t);
      case Barriers:
        thread.round = arrivals_++ / static_cast<int>(kParties);
        thread.at_barrier = true;
        if (!parties_known_) return add({.kind = EventKind::BarrierArrive, .address = kBarrier}, t);
        return add(
            {.kind = EventKind::BarrierArrive, .flags = trace::kHasValue, .address = kBarrier, .value = kParties}, t);
      case Guards: return guard(t);
      case Objects: return object(t);
      case Missing: return missing(t);
      default: return fence(t);
    }
  }

  void life(int t) {
    Thread& thread = threads_[t];
    if (random_.chance(85)) return;
    if (forks_ && t > 0) {
      thread.ended = true;
      return add({.kind = EventKind::ThreadEnd}, t);
    }
    // A join of a thread that has ended.
    for (int other = 1; other < kThreads; ++other)
      if (t == 0 && threads_[other].ended)
        return add({.kind = EventKind::Join, .aux = static_cast<std::uint64_t>(other)}, t);
  }

  void control(int t) {
    if (trace_.definitions.branches && random_.chance(60)) return add({.kind = EventKind::Branch, .value = 1}, t);
    if (random_.chance(30)) add({.kind = EventKind::Call, .aux = 0}, t);
  }

  MemoryOrder order(const std::vector<MemoryOrder>& choices) { return random_.pick(choices); }
  void fence(int t) {
    add({.kind = EventKind::Fence, .order = order({MemoryOrder::Acquire, MemoryOrder::Release, MemoryOrder::SeqCst})},
        t);
  }

  void access(int t) {
    const bool heap = subjects_[Objects] && flavour_.objects && random_.chance(40);
    Event e;
    e.size = 1u << random_.below(4);
    e.address = kData + static_cast<std::uint64_t>(random_.below(12 - static_cast<int>(e.size) + 1) / 2 * 2);
    if (e.size < 8 && random_.chance(50)) e.address = kData;
    if (heap) {
      if (!alive_) return;  // memory of a dead object is not touched
      e.size = random_.chance(50) ? 8 : 4;
      e.address = kHeap + (e.size == 4 && random_.chance(50) ? 4 : 0);
    }
    const bool atomic = subjects_[Atomics] && random_.chance(50);
    if (atomic && !heap && !flavour_.mixed_atomics) {
      e.size = 4;
      e.address = kData + (random_.chance(50) ? 4 : 0);
    }
    if (atomic && heap && !flavour_.mixed_atomics) e.address = kHeap, e.size = 8;
    const int what = random_.below(atomic ? 4 : 2);
    const std::uint64_t mask = e.size == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * e.size)) - 1;
    std::uint64_t now = 0, next = static_cast<std::uint64_t>(random_.below(3)) * 0x0101010101010101u & mask;
    for (std::uint64_t i = 0; i < e.size; ++i) now |= std::uint64_t{memory_[e.address + i]} << (8 * i);
    bool stores = what != 0;
    if (what == 0) {
      e.kind = atomic ? EventKind::AtomicRead : EventKind::Read;
      e.value = now;
      if (atomic) e.order = order({MemoryOrder::Relaxed, MemoryOrder::Acquire, MemoryOrder::SeqCst});
    } else if (what == 1) {
      e.kind = atomic ? EventKind::AtomicWrite : EventKind::Write;
      e.value = next;
      if (atomic) e.order = order({MemoryOrder::Relaxed, MemoryOrder::Release, MemoryOrder::SeqCst});
    } else {
      e.kind = EventKind::AtomicRmw;
      e.order = order({MemoryOrder::Relaxed, MemoryOrder::Acquire, MemoryOrder::Release, MemoryOrder::AcqRel});
      e.value = now;
      e.aux = next;
      if (what == 3) e.flags |= trace::kCas;
      if (what == 3 && random_.chance(50)) {
        e.flags |= trace::kFailed;
        e.aux = now ^ 1;
        stores = false;
      }
    }
    if (stores)
      for (std::uint64_t i = 0; i < e.size; ++i) memory_[e.address + i] = static_cast<std::uint8_t>(next >> (8 * i));
    if (valued_ && random_.chance(85)) {
      e.flags |= trace::kHasValue;
    } else {
      e.value = e.aux = 0;
    }
    add(e, t);
  }

  void mutex(int t, std::uint64_t address) {
    Lock& lock = locks_[address];
    const bool recursive = address == kRecursiveMutex;
    Event e{.kind = EventKind::Lock,
            .flags = static_cast<std::uint8_t>(recursive ? trace::kRecursive : 0),
            .address = address};
    if (lock.holder == t && random_.chance(50)) {
      e.kind = EventKind::Unlock;
      if (--lock.depth == 0) lock.holder = -1;
      return add(e, t);
    }
    const bool can = lock.holder == -1 || (lock.holder == t && recursive);
    if (random_.chance(40)) e.flags |= trace::kTry;
    if (!can) {
      if (!e.has(trace::kTry)) return;
      e.flags |= trace::kFailed;
    } else {
      lock.holder = t;
      ++lock.depth;
    }
    add(e, t);
  }

  void rwlock(int t) {
    Lock& lock = locks_[kRwLock];
    Event e{.kind = EventKind::RwUnlock, .address = kRwLock};
    if ((lock.holder == t || lock.readers.contains(t)) && random_.chance(60)) {
      if (lock.holder == t) lock.holder = -1;
      lock.readers.erase(t);
      return add(e, t);
    }
    if (lock.readers.contains(t) && random_.chance(80)) return;
    const bool writing = random_.chance(50);
    e.kind = writing ? EventKind::WrLock : EventKind::RdLock;
    if (random_.chance(40)) e.flags |= trace::kTry;
    const bool can = lock.holder == -1 && (!writing || lock.readers.empty());
    if (can && lock.readers.contains(t)) return;  // one hold each
    if (!can) {
      if (!e.has(trace::kTry)) return;
      e.flags |= trace::kFailed;
    } else if (writing) {
      lock.holder = t;
    } else {
      lock.readers[t] = 1;
    }
    add(e, t);
  }

  void condition(int t) {
    const std::uint64_t mutex_address = random_.chance(50) ? kMutex : kRecursiveMutex;
    Lock& lock = locks_[mutex_address];
    if (lock.holder == t && random_.chance(60)) {
      threads_[t].asleep = true;
      threads_[t].notified = false;
      threads_[t].slept_depth = lock.depth;
      threads_[t].slept_with = mutex_address;
      lock.holder = -1;
      lock.depth = 0;
      sleepers_.push_back(t);
      return add({.kind = EventKind::Wait, .address = kCondition, .aux = mutex_address}, t);
    }
    if (lock.holder == -1 && random_.chance(50)) return mutex(t, mutex_address);
    const bool all = random_.chance(30);
    for (bool first = true; !sleepers_.empty() && (all || first); first = false) {
      threads_[sleepers_.front()].notified = true;
      sleepers_.pop_front();
    }
    add({.kind = all ? EventKind::NotifyAll : EventKind::Notify, .address = kCondition}, t);
  }

  void wake(int t) {
    Thread& thread = threads_[t];
    Lock& lock = locks_[thread.slept_with];
    if (lock.holder != -1) return;
    Event e{.kind = EventKind::Wake, .address = kCondition, .aux = thread.slept_with};
    if (!thread.notified) {
      if (!random_.chance(10)) return;
      e.flags = random_.chance(50) ? trace::kSpurious : trace::kFailed;
      sleepers_.erase(std::find(sleepers_.begin(), sleepers_.end(), t));
    }
    thread.asleep = thread.notified = false;
    lock.holder = t;
    lock.depth = thread.slept_depth;
    add(e, t);
  }

  void semaphore(int t) {
    Event e{.kind = EventKind::SemPost, .address = kSemaphore};
    if (count_known_) {
      e.flags = trace::kHasValue;
      e.value = start_count_;
    }
    if (random_.chance(40)) {
      ++count_;
      return add(e, t);
    }
    e.kind = EventKind::SemWait;
    if (random_.chance(40)) e.flags |= trace::kTry;
    if (count_ > 0) {
      --count_;
    } else {
      // Where the count is not known, a failed try would have to be legal for the smallest one.
      if (!e.has(trace::kTry) || !count_known_) return;
      e.flags |= trace::kFailed;
    }
    add(e, t);
  }

  void guard(int t) {
    if (guard_ == -1) {
      guard_ = t;
      return add({.kind = EventKind::OnceEnter, .address = kGuard}, t);
    }
    if (guard_ == t && !guard_done_) {
      guard_done_ = true;
      return add({.kind = EventKind::OnceDone, .address = kGuard}, t);
    }
    if (guard_done_) add({.kind = EventKind::OnceSeen, .address = kGuard}, t);
  }

  void object(int t) {
    if (!flavour_.objects) return;
    for (std::uint64_t i = 0; i < 8 && !alive_; ++i) memory_[kHeap + i] = 0;
    alive_ = !alive_;
    add({.kind = alive_ ? EventKind::Alloc : EventKind::Free, .size = 8, .address = kHeap}, t);
  }

  void missing(int t) {
    if (!flavour_.missing) return;
    Thread& thread = threads_[t];
    if (thread.sections > 0 && random_.chance(60)) {
      --thread.sections;
      return add({.kind = EventKind::MissingEnd, .flags = trace::kHasValue, .value = 7}, t);
    }
    if (thread.sections == 2) return;
    ++thread.sections;
    const auto set = static_cast<std::uint64_t>(random_.below(static_cast<int>(trace_.definitions.reach.size())));
    add({.kind = EventKind::MissingBegin, .address = set, .aux = 0}, t);
  }

  Random random_;
  TraceFlavour flavour_;
  trace::Trace trace_;
  bool valued_ = true, count_known_ = true, parties_known_ = true, forks_ = false;
  std::array<bool, kSubjects> subjects_{};
  std::array<Thread, kThreads> threads_{};
  std::map<std::uint64_t, Lock> locks_;
  std::map<std::uint64_t, std::uint8_t> memory_;
  std::deque<int> sleepers_;
  int count_ = 0, arrivals_ = 0, guard_ = -1;
  std::uint64_t start_count_ = 0;
  bool guard_done_ = false, alive_ = false;
};

}  // namespace

trace::Trace random_trace(std::uint64_t seed, const TraceFlavour& flavour) {
  return Generator(seed, flavour).run();
}

trace::Trace shrink(trace::Trace trace, const std::function<bool(const trace::Trace&)>& fails) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (std::size_t i = 0; i < trace.events.size() && !smaller; ++i) {
      trace::Trace less = trace;
      less.events.erase(less.events.begin() + static_cast<std::ptrdiff_t>(i));
      if (!fails(less)) continue;
      trace = std::move(less);
      smaller = true;
    }
  }
  return trace;
}

}  // namespace racecast::property
