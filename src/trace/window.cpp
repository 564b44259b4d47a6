#include "trace/window.h"

#include <algorithm>
#include <iterator>

namespace racecast::trace {

std::optional<EventNo> Boundary::last_write(std::uint64_t address) const {
  auto next = last_writes.upper_bound(address);
  if (next == last_writes.begin()) return std::nullopt;
  --next;
  return address < next->second.end ? std::optional(next->second.event) : std::nullopt;
}

BoundaryThread& BoundaryTracker::thread(ThreadId id) {
  if (index(id) >= state_.threads.size()) state_.threads.resize(index(id) + 1);
  return state_.threads[index(id)];
}

void BoundaryTracker::acquire(const Event& e, HeldMode mode) {
  if (e.has(kFailed)) return;
  const auto mine = std::find_if(state_.held.begin(), state_.held.end(),
                                 [&](const HeldLock& h) { return h.lock == e.address && h.thread == e.thread; });
  if (mine != state_.held.end())
    mine->acquires.push_back(next_);
  else
    state_.held.push_back({e.address, e.thread, mode, {next_}});
}

void BoundaryTracker::release(std::uint64_t lock, ThreadId thread, bool all) {
  const auto mine = std::find_if(state_.held.begin(), state_.held.end(),
                                 [&](const HeldLock& h) { return h.lock == lock && h.thread == thread; });
  if (mine == state_.held.end()) return;
  if (all) sleep_depth_[thread] = mine->acquires.size();
  mine->acquires.pop_back();
  if (all || mine->acquires.empty()) state_.held.erase(mine);
}

// The new write takes its bytes from the ranges that it overlaps.
void BoundaryTracker::write(std::uint64_t address, std::uint64_t size) {
  const std::uint64_t end = address + size;
  auto& writes = state_.last_writes;
  auto it = writes.lower_bound(address);
  if (it != writes.begin()) {
    const auto before = std::prev(it);
    if (before->second.end > address) {
      const LastWrite old = before->second;
      before->second.end = address;
      if (old.end > end) writes.emplace(end, old);
    }
  }
  while (it != writes.end() && it->first < end) {
    const LastWrite old = it->second;
    it = writes.erase(it);
    if (old.end > end) writes.emplace(end, old);
  }
  writes.insert_or_assign(address, LastWrite{end, next_});
}

void BoundaryTracker::add(const Event& e) {
  BoundaryThread& t = thread(e.thread);
  if (!t.first) t.first = next_;
  t.last = next_;
  switch (e.kind) {
    case EventKind::ThreadEnd: t.ended = true; break;
    case EventKind::Fork: thread(e.child()).fork = next_; break;
    case EventKind::Join: thread(e.child()).ended = true; break;
    case EventKind::Lock: acquire(e, HeldMode::Mutex); break;
    case EventKind::RdLock: acquire(e, HeldMode::Reading); break;
    case EventKind::WrLock: acquire(e, HeldMode::Writing); break;
    case EventKind::Unlock:
    case EventKind::RwUnlock: release(e.address, e.thread, false); break;
    case EventKind::Wait:
      t.waiting = next_;
      release(e.aux, e.thread, true);
      break;
    case EventKind::Wake: {
      t.waiting.reset();
      const auto slept = sleep_depth_.extract(e.thread);
      const std::size_t depth = slept.empty() ? 1 : slept.mapped();
      state_.held.push_back({e.aux, e.thread, HeldMode::Mutex, std::vector<EventNo>(depth, next_)});
      break;
    }
    case EventKind::BarrierArrive: t.arrived.insert_or_assign(e.address, next_); break;
    case EventKind::BarrierLeave: t.arrived.erase(e.address); break;
    case EventKind::Call: t.calls.push_back(next_); break;
    case EventKind::Return:
      if (!t.calls.empty()) t.calls.pop_back();
      break;
    case EventKind::MissingBegin: t.missing.push_back(next_); break;
    case EventKind::MissingEnd:
      if (!t.missing.empty()) t.missing.pop_back();
      break;
    case EventKind::Alloc: state_.objects.insert_or_assign(e.address, next_); break;
    case EventKind::Free: state_.objects.erase(e.address); break;
    default:
      if (writes(e) && e.size != 0) write(e.address, e.size);
      break;
  }
  next_ = static_cast<EventNo>(index(next_) + 1);
}

Window window(const Trace& trace, std::uint64_t first, std::uint64_t count) {
  first = std::min<std::uint64_t>(first, trace.events.size());
  count = std::min<std::uint64_t>(count, trace.events.size() - first);
  BoundaryTracker tracker;
  const auto begin = trace.events.begin() + static_cast<std::ptrdiff_t>(first);
  std::for_each(trace.events.begin(), begin, [&](const Event& e) { tracker.add(e); });
  Window out;
  out.trace.definitions = trace.definitions;
  out.trace.events.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
  out.first = static_cast<EventNo>(first);
  out.start = tracker.state();
  return out;
}

}  // namespace racecast::trace
