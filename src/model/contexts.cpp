#include "model/contexts.h"

#include <algorithm>
#include <utility>

namespace racecast::model {

using trace::EventKind;

void Contexts::changed(ThreadState& thread) {
  auto [it, fresh] = lockset_ids_.try_emplace(thread.holds, static_cast<std::uint32_t>(locksets_.size()));
  if (fresh) locksets_.push_back(&it->first);
  thread.lockset = it->second;
}

void Contexts::take(ThreadState& thread, Hold hold) {
  if (std::any_of(thread.holds.begin(), thread.holds.end(), [&](const Hold& h) { return h.lock == hold.lock; })) {
    ++thread.depth[hold.lock];
    return;
  }
  thread.holds.push_back(hold);
  changed(thread);
}

void Contexts::give_back(ThreadState& thread, std::uint64_t lock, bool altogether) {
  if (auto depth = thread.depth.find(lock); depth != thread.depth.end()) {
    if (!altogether && depth->second > 0) {
      --depth->second;
      return;
    }
    thread.depth.erase(depth);
  }
  std::erase_if(thread.holds, [&](const Hold& hold) { return hold.lock == lock; });
  changed(thread);
}

void Contexts::on_event(const trace::Event& e) {
  ThreadState& thread = state(e.thread);
  const bool failed = e.has(trace::kFailed);
  switch (e.kind) {
    case EventKind::Lock:
    case EventKind::WrLock:
      if (!failed) take(thread, {e.address, false});
      break;
    case EventKind::RdLock:
      if (!failed) take(thread, {e.address, true});
      break;
    case EventKind::Wake:
      take(thread, {e.aux, false});
      if (thread.depth_at_wait != 0) thread.depth[e.aux] = std::exchange(thread.depth_at_wait, 0);
      break;
    case EventKind::Unlock:
    case EventKind::RwUnlock: give_back(thread, e.address, false); break;
    case EventKind::Wait:
      if (auto depth = thread.depth.find(e.aux); depth != thread.depth.end()) thread.depth_at_wait = depth->second;
      give_back(thread, e.aux, true);
      break;
    case EventKind::Call: {
      auto [it, fresh] = call_ids_.try_emplace({thread.stack, e.location}, static_cast<std::uint32_t>(calls_.size()));
      if (fresh) calls_.push_back({thread.stack, e.location});
      thread.stack = it->second;
      break;
    }
    case EventKind::Return: thread.stack = calls_[thread.stack].caller; break;
    default: break;
  }
}

std::vector<LocationId> Contexts::call_sites(std::uint32_t stack) const {
  std::vector<LocationId> sites;
  for (; stack != 0; stack = calls_[stack].caller) sites.push_back(calls_[stack].site);
  return sites;
}

}  // namespace racecast::model
