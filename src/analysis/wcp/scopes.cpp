#include "analysis/wcp/scopes.h"

#include <algorithm>
#include <utility>

namespace racecast::analysis {

using trace::EventKind;

LockNo Scopes::number_of(std::uint64_t address) {
  auto [it, fresh] = numbers_.try_emplace(address, next_);
  if (fresh) {
    addresses_.insert(address);
    alive_.insert(next_++);
  }
  return it->second;
}

Scopes::Change Scopes::take(ThreadState& thread, std::uint64_t address, bool shared, model::Time time, unsigned depth) {
  for (Scope& scope : thread.open) {
    if (scope.address != address) continue;
    scope.depth += depth;
    return {};
  }
  thread.open.push_back({number_of(address), shared, time, address, depth});
  return {Change::Kind::Began, thread.open.back()};
}

Scopes::Change Scopes::give_back(ThreadState& thread, std::uint64_t address, bool altogether) {
  const auto scope =
      std::find_if(thread.open.begin(), thread.open.end(), [&](const Scope& s) { return s.address == address; });
  if (scope == thread.open.end()) return {};  // taken before the trace began
  if (altogether) thread.depth_at_wait = scope->depth;
  if (!altogether && --scope->depth > 0) return {};
  Change change{Change::Kind::Ended, *scope};
  thread.open.erase(scope);
  return change;
}

void Scopes::forget(std::uint64_t address, std::uint64_t size) {
  const auto first = addresses_.lower_bound(address), last = addresses_.lower_bound(address + size);
  for (auto it = first; it != last; ++it) {
    const auto number = numbers_.find(*it);
    died_.push_back(number->second);
    alive_.erase(number->second);
    numbers_.erase(number);
  }
  addresses_.erase(first, last);
}

Scopes::Change Scopes::on_event(const trace::Event& e, model::Time time) {
  died_.clear();
  if (index(e.thread) >= threads_.size()) threads_.resize(index(e.thread) + 1);
  ThreadState& thread = threads_[index(e.thread)];
  switch (e.kind) {
    case EventKind::Lock:
    case EventKind::RdLock:
    case EventKind::WrLock:
      if (e.has(trace::kFailed)) return {};
      return take(thread, e.address, e.kind == EventKind::RdLock, time, 1);
    case EventKind::Wake: return take(thread, e.aux, false, time, std::exchange(thread.depth_at_wait, 1));
    case EventKind::Unlock:
    case EventKind::RwUnlock: return give_back(thread, e.address, false);
    case EventKind::Wait: return give_back(thread, e.aux, true);
    case EventKind::Alloc:
    case EventKind::Free: forget(e.address, e.size); return {};
    default: return {};
  }
}

}  // namespace racecast::analysis
