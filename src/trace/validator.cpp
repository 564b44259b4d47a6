#include "trace/validator.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/hash.h"
#include "trace/definitions_codec.h"
#include "trace/event_codec.h"
#include "trace/state.h"

namespace racecast::trace {
namespace {

struct Mutex {
  ThreadId holder{};
  std::uint64_t depth = 0;
  std::uint64_t since = 0;  // event
};

struct RwLock {
  struct Reader {
    ThreadId thread{};
    std::uint64_t depth = 0;
    std::uint64_t since = 0;
  };
  std::optional<Reader> writer;
  std::vector<Reader> readers;
};

struct Sleep {
  std::uint64_t condition = 0;
  std::uint64_t mutex = 0;
  std::uint64_t depth = 0;  // how often the mutex was held
  std::uint64_t since = 0;
  bool notified = false;
};

struct Guard {
  ThreadId thread{};
  bool done = false;
  std::uint64_t since = 0;
};

// An arrival belongs to the round that is being filled; with unknown parties (0) there are no rounds. A barrier that
// is given other parties is another one: what had arrived for a round of the former waits for ever.
struct Barrier {
  std::uint64_t parties = 0;
  std::uint64_t round = 0;    // they are numbered on when the parties change
  std::uint64_t arrived = 0;  // in that round
  std::set<std::uint64_t> abandoned{};

  bool complete(std::uint64_t of) const { return of < round && !abandoned.contains(of); }
};

// The last arrival of a thread, until it leaves: an earlier one that it had not left by then, it never will.
struct Arrival {
  std::uint64_t round = 0;
  bool rounds = false;  // the parties are known
};

struct Thread {
  std::optional<std::uint64_t> forked, ended, joined;  // events
  bool ran = false;
  bool running = false;    // it has run, and neither ended nor sleeps nor was joined: a plain access breaks no rule
  std::uint64_t last = 0;  // its last event
  std::uint64_t missing = 0;
  std::optional<Sleep> sleep;
  std::map<std::uint64_t, Arrival> arrived;  // by barrier
};

}  // namespace

struct Validator::State {
  const Definitions& definitions;
  IdBounds bounds;
  std::uint64_t number = 0;  // of the event at hand
  std::vector<Thread> threads;
  HashMap<std::uint64_t, Mutex> mutexes;                  // held ones
  HashMap<std::uint64_t, RwLock> rwlocks;                 // held ones
  HashMap<std::uint64_t, std::deque<ThreadId>> sleepers;  // by condition, not yet notified, longest first
  std::map<std::uint64_t, Guard> guards;
  std::map<std::uint64_t, Barrier> barriers;
  std::map<std::uint64_t, std::int64_t> semaphores;  // posts minus downs
  std::map<std::uint64_t, std::uint64_t> objects;    // live: address to size
  bool any_object = false;
  bool saw_missing = false;

  explicit State(const Definitions& d) : definitions(d) {}

  // ---- saying what is broken

  template <typename... Args>
  std::unexpected<Error> broken(std::string_view rule, fmt::format_string<Args...> text, Args&&... args) const {
    return bad_input(
        fmt::format("event {}: rule `{}`: {}", number, rule, fmt::format(text, std::forward<Args>(args)...)));
  }
  std::string name(ThreadId t) const { return name_of_thread(definitions, t); }
  std::string name(std::uint64_t address) const { return name_of_address(definitions, address); }

  // ---- locks

  Status lock(const Event& e) {
    const auto held = mutexes.find(e.address);
    if (e.has(kFailed)) {
      if (held == mutexes.end()) {
        return broken("lock-failed", "{} fails to take {}, which nobody holds", name(e.thread), name(e.address));
      }
      if (held->second.holder == e.thread && e.has(kRecursive)) {
        return broken("lock-failed", "{} fails to take {}, which is recursive and its own", name(e.thread),
                      name(e.address));
      }
      return {};
    }
    if (held == mutexes.end()) {
      mutexes.emplace(e.address, Mutex{e.thread, 1, number});
      return {};
    }
    if (held->second.holder != e.thread) {
      return broken("lock-held", "{} takes {}, which {} holds since event {}", name(e.thread), name(e.address),
                    name(held->second.holder), held->second.since);
    }
    if (!e.has(kRecursive)) {
      return broken("lock-held", "{} takes {} again, which is not recursive and its own since event {}", name(e.thread),
                    name(e.address), held->second.since);
    }
    ++held.value().depth;
    return {};
  }

  Status unlock(const Event& e) {
    const auto held = mutexes.find(e.address);
    if (held == mutexes.end()) {
      return broken("unlock-held", "{} gives {} back, which nobody holds", name(e.thread), name(e.address));
    }
    if (held->second.holder != e.thread) {
      return broken("unlock-held", "{} gives {} back, which {} holds since event {}", name(e.thread), name(e.address),
                    name(held->second.holder), held->second.since);
    }
    if (--held.value().depth == 0) mutexes.erase(held);
    return {};
  }

  std::string rw_holder(const RwLock& lock) const {
    if (lock.writer) return fmt::format("{} writes since event {}", name(lock.writer->thread), lock.writer->since);
    return fmt::format("{} reads since event {}", name(lock.readers.front().thread), lock.readers.front().since);
  }

  Status rw_lock(const Event& e) {
    const bool writing = e.kind == EventKind::WrLock;
    const auto held = rwlocks.find(e.address);
    const bool own =
        held != rwlocks.end() && held->second.writer && held->second.writer->thread == e.thread && e.has(kRecursive);
    const bool excluded = held != rwlocks.end() && !own && (writing || held->second.writer);
    if (e.has(kFailed)) {
      if (excluded) return {};
      return broken("rwlock-failed", "{} fails to take {} for {}, which nothing excludes", name(e.thread),
                    name(e.address), writing ? "writing" : "reading");
    }
    if (excluded) {
      return broken("rwlock-held", "{} takes {} for {}, but {}", name(e.thread), name(e.address),
                    writing ? "writing" : "reading", rw_holder(held->second));
    }
    RwLock& lock = rwlocks[e.address];
    if (own) {
      ++lock.writer->depth;
    } else if (writing) {
      lock.writer = RwLock::Reader{e.thread, 1, number};
    } else {
      const auto mine = std::find_if(lock.readers.begin(), lock.readers.end(),
                                     [&](const RwLock::Reader& r) { return r.thread == e.thread; });
      if (mine != lock.readers.end())
        ++mine->depth;
      else
        lock.readers.push_back({e.thread, 1, number});
    }
    return {};
  }

  Status rw_unlock(const Event& e) {
    const auto held = rwlocks.find(e.address);
    if (held == rwlocks.end()) {
      return broken("rwunlock-held", "{} gives {} back, which nobody holds", name(e.thread), name(e.address));
    }
    RwLock& lock = held.value();
    if (lock.writer && lock.writer->thread == e.thread) {
      if (--lock.writer->depth == 0) lock.writer.reset();
    } else {
      const auto mine = std::find_if(lock.readers.begin(), lock.readers.end(),
                                     [&](const RwLock::Reader& r) { return r.thread == e.thread; });
      if (mine == lock.readers.end()) {
        return broken("rwunlock-held", "{} gives {} back, but {}", name(e.thread), name(e.address), rw_holder(lock));
      }
      if (--mine->depth == 0) lock.readers.erase(mine);
    }
    if (!lock.writer && lock.readers.empty()) rwlocks.erase(held);
    return {};
  }

  // ---- condition variables

  Status wait(const Event& e, Thread& thread) {
    const auto held = mutexes.find(e.aux);
    if (held == mutexes.end() || held->second.holder != e.thread) {
      return broken("wait-holds", "{} waits on {} without {}, which {}", name(e.thread), name(e.address), name(e.aux),
                    held == mutexes.end() ? "nobody holds" : name(held->second.holder) + " holds");
    }
    thread.sleep = Sleep{e.address, e.aux, held->second.depth, number, false};
    mutexes.erase(held);
    sleepers[e.address].push_back(e.thread);
    return {};
  }

  void forget_sleeper(std::uint64_t condition, ThreadId thread) {
    const auto found = sleepers.find(condition);
    if (found == sleepers.end()) return;
    std::deque<ThreadId>& queue = found.value();
    std::erase(queue, thread);
    if (queue.empty()) sleepers.erase(found);
  }

  Status wake(const Event& e, Thread& thread) {
    if (!thread.sleep || thread.sleep->condition != e.address || thread.sleep->mutex != e.aux) {
      return broken("wake-waits", "{} wakes from {} with {}, {}", name(e.thread), name(e.address), name(e.aux),
                    thread.sleep ? fmt::format("but waits on {} with {} since event {}", name(thread.sleep->condition),
                                               name(thread.sleep->mutex), thread.sleep->since)
                                 : "but does not wait");
    }
    if (const auto held = mutexes.find(e.aux); held != mutexes.end()) {
      return broken("wake-free", "{} wakes with {}, which {} holds since event {}", name(e.thread), name(e.aux),
                    name(held->second.holder), held->second.since);
    }
    if (!thread.sleep->notified) {
      if (!e.has(kSpurious) && !e.has(kFailed)) {
        return broken("wake-notified", "{} wakes from {}, but no notify since event {} was for it", name(e.thread),
                      name(e.address), thread.sleep->since);
      }
      forget_sleeper(e.address, e.thread);
    }
    mutexes.emplace(e.aux, Mutex{e.thread, thread.sleep->depth, number});
    thread.sleep.reset();
    return {};
  }

  void notify(const Event& e) {
    const auto found = sleepers.find(e.address);
    if (found == sleepers.end()) return;
    std::deque<ThreadId>& queue = found.value();
    do {
      threads[index(queue.front())].sleep->notified = true;
      queue.pop_front();
    } while (e.kind == EventKind::NotifyAll && !queue.empty());
    if (queue.empty()) sleepers.erase(found);
  }

  // ---- semaphores, barriers and guards

  Status semaphore(const Event& e) {
    std::int64_t& change = semaphores[e.address];
    if (e.kind == EventKind::SemPost) {
      ++change;
      return {};
    }
    const auto count = static_cast<std::int64_t>(e.value + static_cast<std::uint64_t>(change));
    if (e.has(kFailed)) {
      if (e.has(kHasValue) && count > 0) {
        return broken("sem-failed", "{} fails to take one from {}, which has {}", name(e.thread), name(e.address),
                      count);
      }
      return {};
    }
    if (e.has(kHasValue) && count <= 0) {
      return broken("sem-count", "{} takes one from {}, which has none", name(e.thread), name(e.address));
    }
    --change;
    return {};
  }

  void barrier_arrive(const Event& e, Thread& thread) {
    Barrier& barrier = barriers[e.address];
    if (e.value != barrier.parties) {
      if (barrier.arrived != 0) barrier.abandoned.insert(barrier.round++);
      barrier.arrived = 0;
      barrier.parties = e.value;
    }
    thread.arrived[e.address] = {barrier.round, e.value != 0};
    if (e.value != 0 && ++barrier.arrived >= e.value) {
      ++barrier.round;
      barrier.arrived = 0;
    }
  }

  Status barrier_leave(const Event& e, Thread& thread) {
    const auto mine = thread.arrived.find(e.address);
    if (mine == thread.arrived.end()) {
      return broken("barrier-arrived", "{} leaves {}, where it has not arrived", name(e.thread), name(e.address));
    }
    const Barrier& barrier = barriers[e.address];
    if (mine->second.rounds && !barrier.complete(mine->second.round)) {
      if (barrier.abandoned.contains(mine->second.round)) {
        return broken("barrier-round", "{} leaves {}, which was given other parties before all of its round arrived",
                      name(e.thread), name(e.address));
      }
      return broken("barrier-round", "{} leaves {}, where only {} arrived", name(e.thread), name(e.address),
                    barrier.arrived);
    }
    thread.arrived.erase(mine);
    return {};
  }

  Status once(const Event& e) {
    const auto found = guards.find(e.address);
    const Guard* const guard = found == guards.end() ? nullptr : &found->second;
    const auto state = [&] {
      return guard == nullptr ? std::string("nobody has entered")
             : guard->done    ? fmt::format("is done since event {}", guard->since)
                              : fmt::format("{} has entered at event {}", name(guard->thread), guard->since);
    };
    if (e.kind == EventKind::OnceEnter) {
      if (guard != nullptr)
        return broken("once-enter", "{} enters {}, which {}", name(e.thread), name(e.address), state());
      guards.emplace(e.address, Guard{e.thread, false, number});
    } else if (e.kind == EventKind::OnceDone) {
      if (guard == nullptr || guard->done || guard->thread != e.thread) {
        return broken("once-done", "{} finishes {}, which {}", name(e.thread), name(e.address), state());
      }
      found->second = Guard{e.thread, true, number};
    } else if (guard == nullptr || !guard->done) {
      return broken("once-seen", "{} finds {} initialised, which {}", name(e.thread), name(e.address), state());
    }
    return {};
  }

  // ---- threads

  Status fork(const Event& e) {
    const ThreadId child = e.child();
    Thread& c = threads[index(child)];
    if (child == e.thread) return broken("fork-self", "{} forks itself", name(child));
    if (c.forked)
      return broken("fork-once", "{} forks {}, which was forked at event {}", name(e.thread), name(child), *c.forked);
    if (c.joined)
      return broken("after-end", "{} forks {}, which was joined at event {}", name(e.thread), name(child), *c.joined);
    if (c.ran)
      return broken("fork-fresh", "{} forks {}, which has already run (event {})", name(e.thread), name(child), c.last);
    c.forked = number;
    return {};
  }

  Status join(const Event& e) {
    const ThreadId child = e.child();
    Thread& c = threads[index(child)];
    if (child == e.thread) return broken("join-self", "{} joins itself", name(child));
    if (!c.forked && !c.ran) {
      return broken("join-forked", "{} joins {}, which was not forked and has not run", name(e.thread), name(child));
    }
    if (!c.joined) c.joined = number;
    c.running = false;
    return {};
  }

  Status alive(const Event& e, const Thread& thread) const {
    if (thread.ended) {
      return broken("after-end", "{} does {} after its end at event {}", name(e.thread), row_of(e.kind).text,
                    *thread.ended);
    }
    if (thread.joined) {
      return broken("after-end", "{} does {} after it was joined at event {}", name(e.thread), row_of(e.kind).text,
                    *thread.joined);
    }
    if (thread.sleep && e.kind != EventKind::Wake) {
      return broken("asleep", "{} does {}, but waits on {} since event {}", name(e.thread), row_of(e.kind).text,
                    name(thread.sleep->condition), thread.sleep->since);
    }
    if (e.kind == EventKind::ThreadBegin && thread.ran) {
      return broken("begin-first", "{} begins, but has run already (event {})", name(e.thread), thread.last);
    }
    return {};
  }

  // ---- objects

  Status alloc(const Event& e) {
    // The last object that starts before the end of the new one is the only one that can overlap it.
    auto next = objects.lower_bound(e.address + std::max<std::uint64_t>(e.size, 1));
    if (next != objects.begin()) {
      const auto last = std::prev(next);
      if (last->first >= e.address || last->first + last->second > e.address) {
        return broken("alloc-live", "{} makes an object of {} bytes at {:#x}, where one of {} bytes lives at {:#x}",
                      name(e.thread), e.size, e.address, last->second, last->first);
      }
    }
    objects.emplace(e.address, e.size);
    any_object = true;
    forget(e.address, e.size);
    return {};
  }

  Status free(const Event& e) {
    const auto object = objects.find(e.address);
    if (object == objects.end()) {
      if (!any_object) return {};
      return broken("free-live", "{} ends the object at {:#x}, where none lives", name(e.thread), e.address);
    }
    if (e.size != 0 && e.size != object->second) {
      return broken("free-live", "{} ends an object of {} bytes at {:#x}, which has {}", name(e.thread), e.size,
                    e.address, object->second);
    }
    forget(e.address, object->second);
    objects.erase(object);
    return {};
  }

  // What lies in an object dies with it.
  void forget(std::uint64_t address, std::uint64_t size) {
    const auto erase = [&](auto& all) { all.erase(all.lower_bound(address), all.lower_bound(address + size)); };
    erase(guards);
    erase(barriers);
    erase(semaphores);
  }

  // ---- one event

  Status form(const Event& e) {
    if (std::string what = broken_event(e, bounds); !what.empty()) {
      bounds = bounds_of(definitions);
      threads.resize(bounds.threads);
      what = broken_event(e, bounds);
      if (!what.empty()) return broken("form", "{}", what);
    }
    return {};
  }

  // What is on state outside of memory, and whatever says that it is.
  Status state(const Event& e) const {
    if (is_state(e.address) || is_append(e))
      if (const std::string_view what = broken_state(e); !what.empty())
        return broken("state", "{} does {} at {}: {}", name(e.thread), row_of(e.kind).text, name(e.address), what);
    const bool lives = e.kind == EventKind::Alloc || e.kind == EventKind::Free;
    if ((lives || is_access(e.kind)) && e.size != 0 && e.address < 2 * kState && e.address + e.size > kState &&
        (lives || !is_state(e.address)))
      return broken("state", "{} does {} of {} bytes at {:#x}, where there is no memory", name(e.thread),
                    row_of(e.kind).text, e.size, e.address);
    return {};
  }

  Status range(const Event& e) const {
    const bool access = is_access(e.kind);
    if (e.kind == EventKind::MissingBegin) {
      std::uint64_t total = 0;
      for (const Range& r : definitions.reach[e.address].ranges) {
        const bool fits = r.address + r.size >= r.address && r.size <= kMaxReach - total;
        if (!fits) return broken("range", "missing code that reaches {} bytes at {:#x}", r.size, r.address);
        total += r.size;
      }
    }
    if ((access && (e.size == 0 || e.size > kMaxAccess)) ||
        ((access || e.kind == EventKind::Alloc || e.kind == EventKind::Free) && e.address + e.size < e.address)) {
      return broken("range", "{} of {} bytes at {:#x}", row_of(e.kind).text, e.size, e.address);
    }
    return {};
  }

  Status apply(const Event& e, Thread& thread) {
    switch (e.kind) {
      case EventKind::ThreadEnd: thread.ended = number; return {};
      case EventKind::Fork: return fork(e);
      case EventKind::Join: return join(e);
      case EventKind::Lock: return lock(e);
      case EventKind::Unlock: return unlock(e);
      case EventKind::RdLock:
      case EventKind::WrLock: return rw_lock(e);
      case EventKind::RwUnlock: return rw_unlock(e);
      case EventKind::Wait: return wait(e, thread);
      case EventKind::Wake: return wake(e, thread);
      case EventKind::Notify:
      case EventKind::NotifyAll: notify(e); return {};
      case EventKind::SemPost:
      case EventKind::SemWait: return semaphore(e);
      case EventKind::BarrierArrive: barrier_arrive(e, thread); return {};
      case EventKind::BarrierLeave: return barrier_leave(e, thread);
      case EventKind::OnceEnter:
      case EventKind::OnceDone:
      case EventKind::OnceSeen: return once(e);
      case EventKind::Alloc: return alloc(e);
      case EventKind::Free: return free(e);
      case EventKind::MissingBegin:
        ++thread.missing;
        saw_missing = true;
        return {};
      case EventKind::MissingEnd:
        if (thread.missing == 0)
          return broken("missing-open", "{} leaves missing code that it has not entered", name(e.thread));
        --thread.missing;
        return {};
      // The trace may begin inside a call.
      case EventKind::Call:
      case EventKind::Return:
      case EventKind::Value:
      default: return {};
    }
  }

  Status add(const Event& e) {
    RC_TRY_STATUS(form(e));
    RC_TRY_STATUS(range(e));
    RC_TRY_STATUS(state(e));
    Thread& thread = threads[index(e.thread)];
    RC_TRY_STATUS(alive(e, thread));
    RC_TRY_STATUS(apply(e, thread));
    thread.ran = true;
    thread.running = !thread.ended && !thread.joined && !thread.sleep;
    thread.last = number;
    ++number;
    return {};
  }

  // The common case of all that add() checks; false: it may or may not be right.
  bool add_plain_access(const Event& e) {
    const bool plain = e.kind == EventKind::Read || e.kind == EventKind::Write;
    if (!plain || index(e.thread) >= bounds.threads || index(e.location) >= bounds.locations) return false;
    Thread& thread = threads[index(e.thread)];
    if (!thread.running || (e.flags & ~(kHasValue | kComputed | kUnchecked)) != 0 || e.order != MemoryOrder::None ||
        e.aux != 0 || (e.value != 0 && !e.has(kHasValue)) || e.size - 1 >= kMaxAccess || e.address > kState - e.size)
      return false;
    thread.last = number++;
    return true;
  }
};

Validator::Validator(const Definitions& definitions) : state_(std::make_unique<State>(definitions)) {}
Validator::Validator(Validator&&) noexcept = default;
Validator& Validator::operator=(Validator&&) noexcept = default;
Validator::~Validator() = default;

Status Validator::add(const Event& event) {
  return state_->add(event);
}
Status Validator::add(std::span<const Event> events) {
  for (const Event& event : events)
    if (!state_->add_plain_access(event)) RC_TRY_STATUS(state_->add(event));
  return {};
}
bool Validator::saw_missing_code() const {
  return state_->saw_missing;
}
std::uint64_t Validator::events() const {
  return state_->number;
}

Status validate(const Trace& trace) {
  MemorySource source(trace);
  return validate(source);
}

Status validate(EventSource& source) {
  Validator validator(source.definitions());
  while (true) {
    RC_TRY(const std::span<const Event> events, source.next());
    if (events.empty()) return {};
    RC_TRY_STATUS(validator.add(events));
  }
}

}  // namespace racecast::trace
