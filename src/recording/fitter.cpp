#include "recording/fitter.h"

#include <algorithm>

#include "trace/annotations.h"

namespace racecast::recording {

using trace::Event;
using trace::EventKind;

void Fitter::insert(EventKind kind, ThreadId by, std::uint64_t address, LocationId location, std::vector<Event>& out) {
  Event e;
  e.kind = kind;
  e.thread = by;
  e.location = location;
  e.address = address;
  out.push_back(e);
  ++inserted_;
}

// The mutex is free now, whatever was seen of its holder. False: the holder cannot give it back any more.
bool Fitter::make_free(std::uint64_t mutex, LocationId location, std::vector<Event>& out) {
  const auto held = mutexes_.find(mutex);
  if (held == mutexes_.end()) return true;
  if (!can_act(held->second.holder)) return false;
  for (std::uint64_t i = 0; i < held->second.depth; ++i) {
    insert(EventKind::Unlock, held->second.holder, mutex, location, out);
  }
  mutexes_.erase(held);
  return true;
}

// What a thread holds when it ends only a robust mutex's next owner can take, who then goes on from where it was left.
void Fitter::end(const Event& e, std::vector<Event>& out) {
  std::vector<std::uint64_t> left;
  for (const auto& [mutex, hold] : mutexes_) {
    if (hold.holder == e.thread) left.push_back(mutex);
  }
  std::ranges::sort(left);
  for (const std::uint64_t mutex : left) make_free(mutex, e.location, out);
  thread(e.thread).ended = true;
}

void Fitter::lock(const Event& e, std::vector<Event>& out) {
  const auto held = mutexes_.find(e.address);
  const bool own = held != mutexes_.end() && held->second.holder == e.thread;
  if (e.has(trace::kFailed)) {
    if (held == mutexes_.end() || (own && e.has(trace::kRecursive))) return drop();
    out.push_back(e);
    return;
  }
  if (own && e.has(trace::kRecursive)) {
    ++held.value().depth;
  } else {
    if (!make_free(e.address, e.location, out)) return drop();
    mutexes_[e.address] = {e.thread, 1};
  }
  out.push_back(e);
}

void Fitter::unlock(const Event& e, std::vector<Event>& out) {
  const auto held = mutexes_.find(e.address);
  if (held == mutexes_.end() || held->second.holder != e.thread) return drop();
  if (--held.value().depth == 0) mutexes_.erase(held);
  out.push_back(e);
}

void Fitter::rw_lock(const Event& e, std::vector<Event>& out) {
  const bool writing = e.kind == EventKind::WrLock;
  const auto held = rwlocks_.find(e.address);
  const bool is_held = held != rwlocks_.end();
  const bool own =
      is_held && held->second.writer && held->second.writer->holder == e.thread && e.has(trace::kRecursive);
  const bool excluded = is_held && !own && (writing || held->second.writer);
  if (e.has(trace::kFailed)) {
    if (!excluded) return drop();
    out.push_back(e);
    return;
  }
  if (excluded) {
    std::vector<Hold> holds = held->second.readers;
    if (held->second.writer) holds.push_back(*held->second.writer);
    if (!std::ranges::all_of(holds, [&](const Hold& h) { return can_act(h.holder); })) return drop();
    for (const Hold& hold : holds) {
      for (std::uint64_t i = 0; i < hold.depth; ++i) {
        insert(EventKind::RwUnlock, hold.holder, e.address, e.location, out);
      }
    }
    rwlocks_.erase(held);
  }
  RwHold& lock = rwlocks_[e.address];
  if (own) {
    ++lock.writer->depth;
  } else if (writing) {
    lock.writer = Hold{e.thread, 1};
  } else {
    const auto mine = std::ranges::find(lock.readers, e.thread, &Hold::holder);
    if (mine != lock.readers.end())
      ++mine->depth;
    else
      lock.readers.push_back({e.thread, 1});
  }
  out.push_back(e);
}

void Fitter::rw_unlock(const Event& e, std::vector<Event>& out) {
  const auto held = rwlocks_.find(e.address);
  if (held == rwlocks_.end()) return drop();
  RwHold& lock = held.value();
  if (lock.writer && lock.writer->holder == e.thread) {
    if (--lock.writer->depth == 0) lock.writer.reset();
  } else {
    const auto mine = std::ranges::find(lock.readers, e.thread, &Hold::holder);
    if (mine == lock.readers.end()) return drop();
    if (--mine->depth == 0) lock.readers.erase(mine);
  }
  if (!lock.writer && lock.readers.empty()) rwlocks_.erase(held);
  out.push_back(e);
}

void Fitter::wait(const Event& e, std::vector<Event>& out) {
  auto held = mutexes_.find(e.aux);
  if (held == mutexes_.end() || held->second.holder != e.thread) {
    if (!make_free(e.aux, e.location, out)) return drop();
    insert(EventKind::Lock, e.thread, e.aux, e.location, out);
    held = mutexes_.emplace(e.aux, Hold{e.thread, 1}).first;
  }
  thread(e.thread).sleep = Sleep{e.address, e.aux, held->second.depth, false};
  mutexes_.erase(held);
  sleepers_[e.address].push_back(e.thread);
  out.push_back(e);
}

void Fitter::wake(Event e, std::vector<Event>& out) {
  std::optional<Sleep>& sleep = thread(e.thread).sleep;
  if (!sleep) {  // its wait was not recorded, but it has the mutex now
    Event taken;
    taken.kind = EventKind::Lock;
    taken.thread = e.thread;
    taken.location = e.location;
    taken.address = e.aux;
    ++inserted_;
    drop();
    return lock(taken, out);
  }
  if (sleep->condition != e.address || sleep->mutex != e.aux) return drop();
  if (!make_free(e.aux, e.location, out)) return drop();
  if (!sleep->notified) {
    if (!e.has(trace::kFailed) && !e.has(trace::kSpurious)) {
      e.flags |= trace::kSpurious;
      ++spurious_;
    }
    if (const auto queue = sleepers_.find(e.address); queue != sleepers_.end()) {
      std::erase(queue.value(), e.thread);
      if (queue->second.empty()) sleepers_.erase(queue);
    }
  }
  mutexes_[e.aux] = {e.thread, sleep->depth};
  sleep.reset();
  out.push_back(e);
}

void Fitter::notify(const Event& e) {
  const auto found = sleepers_.find(e.address);
  if (found == sleepers_.end()) return;
  std::deque<ThreadId>& queue = found.value();
  do {
    thread(queue.front()).sleep->notified = true;
    queue.pop_front();
  } while (e.kind == EventKind::NotifyAll && !queue.empty());
  if (queue.empty()) sleepers_.erase(found);
}

void Fitter::rouse(ThreadId id, LocationId location, std::vector<Event>& out) {
  const std::optional<Sleep>& sleep = thread(id).sleep;
  if (!sleep || mutexes_.contains(sleep->mutex)) return;
  Event e;
  e.kind = EventKind::Wake;
  e.flags = trace::kSpurious;
  e.thread = id;
  e.location = location;
  e.address = sleep->condition;
  e.aux = sleep->mutex;
  ++inserted_;
  wake(e, out);
}

void Fitter::fit(const Event& e, std::vector<Event>& out) {
  // What a sleeper does is the validator's to refuse: it may be a handler's.
  if (e.kind != EventKind::Wake && thread(e.thread).sleep) return out.push_back(e);
  switch (e.kind) {
    case EventKind::Lock: return lock(e, out);
    case EventKind::Unlock: return unlock(e, out);
    case EventKind::RdLock:
    case EventKind::WrLock: return rw_lock(e, out);
    case EventKind::RwUnlock: return rw_unlock(e, out);
    case EventKind::Wait: return wait(e, out);
    case EventKind::Wake: return wake(e, out);
    case EventKind::Notify:
    case EventKind::NotifyAll: notify(e); break;
    case EventKind::ThreadEnd: end(e, out); break;
    case EventKind::Join: thread(e.child()).ended = true; break;
    default: break;
  }
  out.push_back(e);
}

std::optional<Event> Fitter::weaker(const Event& e) {
  Event w = e;
  switch (e.kind) {
    case EventKind::SemWait:
    case EventKind::SemPost:
      if (!e.has(trace::kHasValue)) return std::nullopt;
      w.clear(trace::kHasValue);
      w.value = 0;
      return w;
    case EventKind::OnceDone:
    case EventKind::OnceSeen: return trace::annotation(e, e.kind == EventKind::OnceSeen);
    default: return std::nullopt;
  }
}

}  // namespace racecast::recording
