#include "property/random_traces.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "property/random_litmus.h"
#include "trace/state.h"

namespace racecast::property {

using trace::Event;
using trace::EventKind;

namespace {

constexpr int kThreads = 3;
// 12 bytes of globals; 16 bytes that objects live in: 8 of data, then a mutex that dies with the object.
constexpr std::uint64_t kData = 0x1000, kHeap = 0x2000, kHeapMutex = kHeap + 8, kHeapSize = 16;
constexpr std::uint64_t kMutex = 0x3000, kRecursiveMutex = 0x3040, kRwLock = 0x3080, kCondition = 0x30c0,
                        kSemaphore = 0x3100, kBarrier = 0x3140, kGuard = 0x3180, kOtherMutex = 0x31c0;
// Two objects of state, next to each other.
constexpr std::uint64_t kStream = trace::kState + 6, kOtherStream = trace::kState + 7;

// Draws a thread and something it can do now, over and over. The state is that of a machine, so the trace is valid.
class Generator {
 public:
  Generator(std::uint64_t seed, const TraceFlavour& flavour) : random_(seed), flavour_(flavour) {
    trace::Definitions& definitions = trace_.definitions;
    definitions.threads = {"T0", "T1", "T2"};
    definitions.symbols = {{kData, 12, 0, "x"},          {kHeap, 16, 0, "h"},   {kMutex, 8, 0, "m"},
                           {kRecursiveMutex, 8, 0, "r"}, {kRwLock, 8, 0, "w"},  {kCondition, 8, 0, "c"},
                           {kSemaphore, 8, 0, "s"},      {kBarrier, 8, 0, "b"}, {kGuard, 8, 0, "g"},
                           {kOtherMutex, 8, 0, "k"},     {kStream, 1, 0, "p"},  {kOtherStream, 1, 0, "q"}};
    definitions.reach = {{false, {{kData, 4}}},
                         {false, {{kData + 2, 8}}},
                         {false, {{kMutex, 8}}},
                         {false, {{kHeap, 8}}},
                         {false, {{kHeapMutex, 4}}},
                         {false, {}},
                         {true, {}},
                         {false, {{kData, 1}, {kCondition, 8}}},
                         {false, {{kData, 4}, {kStream, 1}}}};
    definitions.strings = {"f"};
    definitions.branches = random_.chance(60);
    valued_ = random_.chance(75);
    count_known_ = random_.chance(50);
    barrier_ = {.parties = 2, .known = random_.chance(70)};
    other_parties_ = random_.chance(50);
    count_ = random_.below(2);
    start_count_ = static_cast<std::uint64_t>(count_);
    // Each trace has a few subjects, or it would have room for none.
    scopes_ = random_.chance(flavour.scopes);
    for (bool& subject : subjects_) subject = random_.chance(scopes_ ? 15 : 40);
    nested_ = scopes_ && random_.chance(60);
    whole_ = scopes_ && random_.chance(60);
    if (scopes_) subjects_[Mutexes] = true;
    if (scopes_) subjects_[RwLocks] = random_.chance(40);
    forks_ = random_.chance(scopes_ ? 15 : 40);
    stateful_ = random_.chance(flavour.state);
    if (stateful_) subjects_[States] = true;
    unchecked_ = random_.chance(25);
    freed_ = flavour.objects && !flavour.passed_on && random_.chance(flavour.freed);
    if (freed_) subjects_[Objects] = true;
    if (flavour.passed_on) {
      for (bool& subject : subjects_) subject = subject && random_.chance(50);
      subjects_[Objects] = true;
      valued_ = true;
    }
  }

  trace::Trace run() {
    int thread = 0;
    // Mostly it was passed on before anything else happens: there is little room.
    if (flavour_.passed_on && !forks_ && random_.chance(70))
      for (const int owner : {0, 0, 1}) object(owner);
    if (freed_) object(0);
    for (int tries = 0; tries < 40 * flavour_.max_events; ++tries) {
      if (static_cast<int>(trace_.events.size()) >= flavour_.max_events) break;
      // Where critical sections are the subject, a thread goes on for a while, so that they end.
      if (!scopes_ || random_.chance(35)) thread = random_.below(kThreads);
      act(thread);
    }
    if (whole_) give_everything_back();
    for (std::size_t i = 0; i < trace_.events.size(); ++i) {
      trace_.events[i].location = static_cast<LocationId>(i);
      trace_.definitions.locations.push_back({.label = std::to_string(i)});
    }
    return std::move(trace_);
  }

 private:
  // A prefix of a run leaves locks held; a whole one does not.
  void give_everything_back() {
    for (int t = 0; t < kThreads; ++t)
      while (!taken_[t].empty() && !threads_[t].asleep && !threads_[t].at_barrier && !threads_[t].ended) {
        const std::uint64_t address = taken_[t].back();
        address == kRwLock ? give_back_rwlock(t) : give_back_mutex(t, address);
      }
  }

  enum Subject {
    Mutexes,
    RwLocks,
    Conditions,
    Semaphores,
    Barriers,
    Guards,
    Objects,
    Missing,
    Atomics,
    States,
    kSubjects
  };
  struct Thread {
    bool ended = false, asleep = false, notified = false;
    bool at_barrier = false, may_leave = false;  // it has arrived and waits; it has arrived and goes on
    int round = 0;                               // of its last arrival
    bool forked = false, begun = false;
    int slept_depth = 0, sections = 0, calls = 0;
    std::uint64_t slept_with = 0;
  };
  struct Barrier {
    int parties = 2;
    bool known = true;             // the trace says how many
    int round = 0, arrived = 0;    // the round that is being filled
    std::set<int> abandoned = {};  // rounds that were not complete when it was given other parties
    int said() const { return known ? parties : 0; }
    bool complete(int of) const { return of < round && !abandoned.contains(of); }
  };
  struct Lock {
    int holder = -1, depth = 0;
    std::map<int, int> readers;  // thread -> how many holds
  };

  void add(Event e, int t) {
    const trace::Group group = trace::row_of(e.kind).group;
    const bool has_address = group == trace::Group::Access || group == trace::Group::Lock ||
                             (group == trace::Group::Sync && e.kind != EventKind::Fence);
    // What else a value can decide: what is called, who is joined, how large an object is, which one dies.
    const bool has_argument = e.kind == EventKind::Call || e.kind == EventKind::Join || e.kind == EventKind::Alloc ||
                              e.kind == EventKind::Free;
    if ((has_address && random_.chance(10)) || (has_argument && random_.chance(40))) e.flags |= trace::kComputed;
    if (unchecked_ && (group == trace::Group::Access || e.kind == EventKind::Free) && random_.chance(20))
      e.flags |= trace::kUnchecked;
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
    if (thread.at_barrier) return leave_barrier(t);
    // A wait, a notify and a wake are many events: they happen only if they are wanted.
    if (subjects_[Conditions] && random_.chance(30)) return condition(t);
    if (subjects_[Objects] && random_.chance(10)) return object(t);
    if (stateful_ && random_.chance(20)) return state(t);
    if (scopes_ && random_.chance(80)) {
      if (random_.chance(40)) {
        if (holds_something(t) || random_.chance(freed_ ? 60 : 20)) access(t);
        return;
      }
      if (subjects_[RwLocks] && random_.chance(30)) return rwlock(t);
      if (alive_ && !flavour_.passed_on && random_.chance(50)) return mutex(t, kHeapMutex);
      return mutex(t, random_.chance(60) ? kMutex : kOtherMutex);
    }
    // In missing code that calls back, or else few callbacks would have events inside.
    if (threads_[t].sections > 0 && random_.chance(25)) return random_.chance(50) ? control(t) : missing(t);
    if (random_.chance(scopes_ ? 10 : 45)) return access(t);
    const int subject = random_.below(kSubjects + 2);
    if (subject == kSubjects) return control(t);
    if (subject > kSubjects) return life(t);
    if (!subjects_[subject]) return;
    switch (subject) {
      case Mutexes:
        if (alive_ && !flavour_.passed_on && random_.chance(60)) return mutex(t, kHeapMutex);
        if (random_.chance(20)) return mutex(t, kOtherMutex);
        return mutex(t, random_.chance(50) ? kMutex : kRecursiveMutex);
      case RwLocks: return rwlock(t);
      case Conditions: return condition(t);
      case Semaphores: return semaphore(t);
      case Barriers: return barrier(t);
      case Guards: return guard(t);
      case Objects: return object(t);
      case Missing: return missing(t);
      case States: return state(t);
      default: return fence(t);
    }
  }

  // Mostly one object; a few reads wait for what they find.
  void state(int t) {
    Event e{.kind = EventKind::AtomicRead, .order = MemoryOrder::Acquire, .size = 1, .address = kStream};
    if (random_.chance(20)) e.address = kOtherStream;
    if (random_.chance(50)) {
      e.kind = EventKind::AtomicRmw;
      e.order = MemoryOrder::Release;
      e.flags = trace::kAppend;
    } else if (random_.chance(10)) {
      e.kind = EventKind::AtomicRmw;
      e.flags = trace::kCas | trace::kFailed;
    }
    add(e, t);
    // What was read is mostly looked at.
    if (trace::reads(e) && trace_.definitions.branches && random_.chance(50))
      add({.kind = EventKind::Branch, .value = 1}, t);
  }

  bool holds_something(int t) const {
    return std::any_of(locks_.begin(), locks_.end(),
                       [&](const auto& row) { return row.second.holder == t || row.second.readers.contains(t); });
  }

  // Half the arrivals wait for their round; the others go on, and leave later or never.
  void barrier(int t) {
    Thread& thread = threads_[t];
    if (thread.may_leave && random_.chance(30)) return leave_barrier(t);
    // Mostly between two rounds, as programs do it; else whoever waits there waits for ever.
    if (other_parties_ && random_.chance(barrier_.arrived == 0 ? 30 : 5)) give_other_parties();
    thread.round = barrier_.round;
    (random_.chance(50) ? thread.at_barrier : thread.may_leave) = true;
    Event e{.kind = EventKind::BarrierArrive, .address = kBarrier};
    if (barrier_.known) {
      e.flags = trace::kHasValue;
      e.value = static_cast<std::uint64_t>(barrier_.parties);
    }
    if (++barrier_.arrived == barrier_.parties) {
      ++barrier_.round;
      barrier_.arrived = 0;
    }
    add(e, t);
  }
  void leave_barrier(int t) {
    Thread& thread = threads_[t];
    if (!barrier_.complete(thread.round)) return;
    thread.at_barrier = thread.may_leave = false;
    add({.kind = EventKind::BarrierLeave, .address = kBarrier}, t);
  }
  void give_other_parties() {
    Barrier other = barrier_;
    other.parties = 1 + random_.below(3);
    other.known = random_.chance(70);
    if (other.said() == barrier_.said()) return;  // nobody can tell that it is another one
    if (other.arrived != 0) other.abandoned.insert(other.round++);
    other.arrived = 0;
    barrier_ = other;
  }

  void life(int t) {
    Thread& thread = threads_[t];
    if (forks_ && t > 0) {
      if (random_.chance(70)) return;
      thread.ended = true;
      return add({.kind = EventKind::ThreadEnd}, t);
    }
    // A join of a thread that has ended.
    for (int other = 1; other < kThreads; ++other)
      if (t == 0 && threads_[other].ended)
        return add({.kind = EventKind::Join, .aux = static_cast<std::uint64_t>(other)}, t);
  }

  void control(int t) {
    Thread& thread = threads_[t];
    const bool crosses = thread.sections > 0 && random_.chance(60);
    if (!crosses && trace_.definitions.branches && random_.chance(60))
      return add({.kind = EventKind::Branch, .value = 1}, t);
    if (!crosses && !random_.chance(30)) return;
    // Also a return without its call, of which recording did not see the beginning.
    if (random_.chance(thread.calls > 0 ? 70 : 5)) {
      thread.calls = std::max(0, thread.calls - 1);
      return add({.kind = EventKind::Return}, t);
    }
    ++thread.calls;
    add({.kind = EventKind::Call, .aux = 0}, t);
  }

  // The last choice is the strongest.
  MemoryOrder order(const std::vector<MemoryOrder>& choices) {
    return flavour_.relaxed ? random_.pick(choices) : choices.back();
  }
  void fence(int t) {
    add({.kind = EventKind::Fence, .order = order({MemoryOrder::Acquire, MemoryOrder::Release, MemoryOrder::SeqCst})},
        t);
  }

  void access(int t) {
    const bool heap = subjects_[Objects] && flavour_.objects && random_.chance(freed_ ? 80 : 40);
    Event e;
    e.size = 1u << random_.below(4);
    e.address = kData + static_cast<std::uint64_t>(random_.below(12 - static_cast<int>(e.size) + 1) / 2 * 2);
    if (e.size < 8 && random_.chance(50)) e.address = kData;
    if (scopes_ && random_.chance(80)) {
      e.size = 4;
      e.address = kData + static_cast<std::uint64_t>(4 * random_.below(3));
    }
    if (heap) {
      if (!alive_) return;  // memory of a dead object is not touched
      e.size = random_.chance(50) ? 8 : 4;
      e.address = object_.address + (e.size == 4 && random_.chance(50) ? 4 : 0);
    } else if (flavour_.passed_on && random_.chance(80)) {
      e.size = 8;
      e.address = kData + (random_.chance(80) ? 0 : 4);
    }
    const bool atomic = subjects_[Atomics] && random_.chance(50);
    if (atomic && !heap && !flavour_.mixed_atomics) {
      e.size = 4;
      e.address = kData + (random_.chance(50) ? 4 : 0);
    }
    if (atomic && heap && !flavour_.mixed_atomics) e.address = object_.address, e.size = 8;
    const int what = random_.below(atomic ? 4 : 2);
    const std::uint64_t mask = e.size == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * e.size)) - 1;
    std::uint64_t now = 0, next = static_cast<std::uint64_t>(random_.below(3)) * 0x0101010101010101u & mask;
    if (flavour_.passed_on && e.size == 8 && random_.chance(80)) next = address_near_an_object();
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

  void taken(int t, std::uint64_t address) { taken_[t].push_back(address); }
  void given_back(int t, std::uint64_t address) {
    const auto last = std::find(taken_[t].rbegin(), taken_[t].rend(), address);
    taken_[t].erase(std::next(last).base());
  }
  bool may_give_back(int t, std::uint64_t address) const { return !nested_ || taken_[t].back() == address; }

  Event mutex_event(EventKind kind, std::uint64_t address) const {
    const bool recursive = address == kRecursiveMutex;
    return {.kind = kind, .flags = static_cast<trace::Flags>(recursive ? trace::kRecursive : 0), .address = address};
  }
  void give_back_mutex(int t, std::uint64_t address) {
    Lock& lock = locks_[address];
    if (--lock.depth == 0) lock.holder = -1;
    given_back(t, address);
    add(mutex_event(EventKind::Unlock, address), t);
  }
  void mutex(int t, std::uint64_t address) {
    Lock& lock = locks_[address];
    if (lock.holder == t && random_.chance(scopes_ ? 80 : 50)) {
      if (may_give_back(t, address)) give_back_mutex(t, address);
      return;
    }
    Event e = mutex_event(EventKind::Lock, address);
    const bool can = lock.holder == -1 || (lock.holder == t && e.has(trace::kRecursive));
    if (random_.chance(scopes_ ? 4 : 40)) e.flags |= trace::kTry;
    if (!can) {
      if (!e.has(trace::kTry) || !flavour_.failed_tries) return;
      e.flags |= trace::kFailed;
    } else {
      lock.holder = t;
      ++lock.depth;
      taken(t, address);
    }
    add(e, t);
  }

  void give_back_rwlock(int t) {
    Lock& lock = locks_[kRwLock];
    if (lock.holder == t)
      lock.holder = -1;
    else if (--lock.readers[t] == 0)
      lock.readers.erase(t);
    given_back(t, kRwLock);
    add({.kind = EventKind::RwUnlock, .address = kRwLock}, t);
  }
  // A thread may read twice at once.
  void rwlock(int t) {
    Lock& lock = locks_[kRwLock];
    const bool reads = lock.readers.contains(t);
    if ((lock.holder == t || reads) && random_.chance(60)) {
      if (may_give_back(t, kRwLock)) give_back_rwlock(t);
      return;
    }
    if (reads && random_.chance(80)) return;
    const bool writing = random_.chance(50);
    Event e{.kind = writing ? EventKind::WrLock : EventKind::RdLock, .address = kRwLock};
    if (random_.chance(scopes_ ? 4 : 40)) e.flags |= trace::kTry;
    const bool can = lock.holder == -1 && (!writing || lock.readers.empty());
    if (!can) {
      if (!e.has(trace::kTry) || !flavour_.failed_tries) return;
      e.flags |= trace::kFailed;
    } else {
      if (writing)
        lock.holder = t;
      else
        ++lock.readers[t];
      taken(t, kRwLock);
    }
    add(e, t);
  }

  void condition(int t) {
    std::uint64_t mutex_address = random_.chance(50) ? kMutex : kRecursiveMutex;
    if (locks_[mutex_address].holder != t) mutex_address = kMutex + kRecursiveMutex - mutex_address;
    Lock& lock = locks_[mutex_address];
    if (lock.holder == t && sleepers_.size() < 2 && may_give_back(t, mutex_address) && random_.chance(60)) {
      std::erase(taken_[t], mutex_address);
      threads_[t].asleep = true;
      threads_[t].notified = false;
      threads_[t].slept_depth = lock.depth;
      threads_[t].slept_with = mutex_address;
      lock.holder = -1;
      lock.depth = 0;
      sleepers_.push_back(t);
      return add({.kind = EventKind::Wait, .address = kCondition, .aux = mutex_address}, t);
    }
    if (lock.holder == -1 && random_.chance(sleepers_.empty() ? 80 : 30)) return mutex(t, mutex_address);
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
      if (!random_.chance(25)) return;
      e.flags = random_.chance(50) ? trace::kSpurious : trace::kFailed;
      sleepers_.erase(std::find(sleepers_.begin(), sleepers_.end(), t));
    }
    thread.asleep = thread.notified = false;
    lock.holder = t;
    lock.depth = thread.slept_depth;
    for (int i = 0; i < lock.depth; ++i) taken(t, thread.slept_with);
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
      if (!e.has(trace::kTry) || !count_known_ || !flavour_.failed_tries) return;
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
    if (!flavour_.objects || locks_[kHeapMutex].holder != -1) return;
    if (!alive_ && flavour_.passed_on) {
      object_.address = kHeap + (random_.chance(30) ? 8 : 0);
      object_.size = random_.chance(30) ? 8 : kHeapSize;
    }
    for (std::uint64_t i = 0; i < 8 && !alive_; ++i) memory_[object_.address + i] = 0;
    alive_ = !alive_;
    const auto size = static_cast<std::uint32_t>(object_.size);
    add({.kind = alive_ ? EventKind::Alloc : EventKind::Free, .size = size, .address = object_.address}, t);
  }

  // Few of them, so that two writes often store the same one: inside, behind, with other upper bits; and none.
  std::uint64_t address_near_an_object() {
    constexpr std::array<std::uint64_t, 10> kAddresses = {
        kHeap,     kHeap,      kHeap,     kHeap, kHeap + 12, kHeap + kHeapSize, kHeap | 0xab00000000000000u,
        kHeap - 1, kHeap + 25, kHeap + 24};
    return kAddresses[static_cast<std::size_t>(random_.below(static_cast<int>(kAddresses.size())))];
  }

  // Callbacks mostly return before their section ends, and then the section mostly goes on.
  void missing(int t) {
    if (!flavour_.missing) return;
    Thread& thread = threads_[t];
    if (thread.calls > 0 && random_.chance(60)) return control(t);
    if (thread.sections > 0 && random_.chance(thread.calls > 0 ? 20 : 60)) {
      --thread.sections;
      thread.calls = 0;
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
  bool valued_ = true, count_known_ = true, other_parties_ = false, forks_ = false;
  bool stateful_ = false;                // mostly state outside of memory
  bool unchecked_ = false;               // some accesses are not to be checked
  bool freed_ = false;                   // mostly an object that several threads use, and one frees
  bool scopes_ = false;                  // mostly critical sections, over three variables
  bool nested_ = false, whole_ = false;  // and they are well nested; and all end
  std::array<bool, kSubjects> subjects_{};
  std::array<Thread, kThreads> threads_{};
  std::map<std::uint64_t, Lock> locks_;
  std::array<std::vector<std::uint64_t>, kThreads> taken_;  // the locks that each holds, as often as it took them
  std::map<std::uint64_t, std::uint8_t> memory_;
  std::deque<int> sleepers_;
  Barrier barrier_;
  int count_ = 0, guard_ = -1;
  std::uint64_t start_count_ = 0;
  bool guard_done_ = false, alive_ = false;
  trace::Range object_{kHeap, kHeapSize};  // the last one
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
