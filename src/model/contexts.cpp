#include "model/contexts.h"

#include <algorithm>
#include <utility>

namespace racecast::model {

using trace::EventKind;

namespace {

std::uint64_t key(std::uint32_t high, std::uint32_t low) {
  return (std::uint64_t{high} << 32) | low;
}

}  // namespace

LocksetId Contexts::intern(std::vector<Hold> holds) {
  auto [it, fresh] = lockset_ids_.try_emplace(std::move(holds), static_cast<LocksetId>(locksets_.size()));
  if (fresh) locksets_.push_back(&it->first);
  return it->second;
}

std::uint32_t Contexts::number_of(std::uint64_t lock) {
  auto [it, fresh] = numbers_.try_emplace(lock, next_number_);
  if (fresh) {
    ++next_number_;
    addresses_.insert(lock);
  }
  return it->second;
}

void Contexts::take(ThreadState& thread, std::uint64_t lock, bool shared) {
  const std::vector<Hold>& held = locks(thread.lockset);
  if (std::any_of(held.begin(), held.end(), [&](const Hold& hold) { return hold.lock == lock; })) {
    ++thread.depth[lock];
    return;
  }
  const std::uint32_t number = number_of(lock);
  auto [step, fresh] = taken_.try_emplace(key(thread.lockset, number * 2 + (shared ? 1 : 0)), 0);
  if (fresh) {
    std::vector<Hold> more = held;
    more.push_back({lock, shared, number});
    step.value() = intern(std::move(more));
  }
  thread.lockset = step->second;
}

void Contexts::give_back(ThreadState& thread, std::uint64_t lock, bool altogether) {
  if (!thread.depth.empty()) {
    if (auto depth = thread.depth.find(lock); depth != thread.depth.end()) {
      if (!altogether && depth->second > 0) {
        --depth->second;
        return;
      }
      thread.depth.erase(depth);
    }
  }
  // By what is held, not by numbers_: the lock's memory may have died while it was held.
  const std::vector<Hold>& held = locks(thread.lockset);
  const auto hold = std::find_if(held.begin(), held.end(), [&](const Hold& h) { return h.lock == lock; });
  if (hold == held.end()) return;
  auto [step, fresh] = given_back_.try_emplace(key(thread.lockset, hold->number), 0);
  if (fresh) {
    std::vector<Hold> fewer = held;
    std::erase_if(fewer, [&](const Hold& h) { return h.lock == lock; });
    step.value() = intern(std::move(fewer));
  }
  thread.lockset = step->second;
}

void Contexts::on_event(const trace::Event& e) {
  ThreadState& thread = state(e.thread);
  const bool failed = e.has(trace::kFailed);
  switch (e.kind) {
    case EventKind::Lock:
    case EventKind::WrLock:
      if (!failed) take(thread, e.address, false);
      break;
    case EventKind::RdLock:
      if (!failed) take(thread, e.address, true);
      break;
    case EventKind::Wake:
      take(thread, e.aux, false);
      if (thread.depth_at_wait != 0) thread.depth[e.aux] = std::exchange(thread.depth_at_wait, 0);
      break;
    case EventKind::Unlock:
    case EventKind::RwUnlock: give_back(thread, e.address, false); break;
    case EventKind::Wait:
      if (auto depth = thread.depth.find(e.aux); depth != thread.depth.end()) thread.depth_at_wait = depth->second;
      give_back(thread, e.aux, true);
      break;
    case EventKind::Alloc:
    case EventKind::Free: {
      const auto first = addresses_.lower_bound(e.address), last = addresses_.lower_bound(e.address + e.size);
      for (auto it = first; it != last; ++it) numbers_.erase(*it);
      addresses_.erase(first, last);
      break;
    }
    case EventKind::Call: {
      auto [it, fresh] = call_ids_.try_emplace({thread.stack, e.location}, static_cast<std::uint32_t>(calls_.size()));
      if (fresh) calls_.push_back({thread.stack, e.location});
      thread.stack = it->second;
      break;
    }
    case EventKind::Return: thread.stack = calls_[thread.stack].caller; break;
    case EventKind::ThreadEnd: thread.stack = 0; break;
    default: break;
  }
}

bool Contexts::exclude_each_other(LocksetId a, LocksetId b) {
  if (a == 0 || b == 0) return false;
  auto [it, fresh] = excluding_.try_emplace(key(std::min(a, b), std::max(a, b)), false);
  if (fresh) {
    for (const Hold& mine : locks(a))
      for (const Hold& other : locks(b))
        if (mine.number == other.number && !(mine.shared && other.shared)) it.value() = true;
  }
  return it->second;
}

LocksetId Contexts::common(LocksetId set, LocksetId held, bool exclusively) {
  if (set == 0 || held == 0) return 0;
  auto [it, fresh] = (exclusively ? common_exclusive_ : common_of_all_).try_emplace(key(set, held), 0);
  if (fresh) {
    std::vector<Hold> both;
    for (const Hold& mine : locks(set))
      for (const Hold& other : locks(held))
        if (mine.number == other.number && !(exclusively && other.shared))
          both.push_back({mine.lock, false, mine.number});
    it.value() = intern(std::move(both));
  }
  return it->second;
}

std::vector<LocationId> Contexts::call_sites(std::uint32_t stack) const {
  std::vector<LocationId> sites;
  for (; stack != 0; stack = calls_[stack].caller) sites.push_back(calls_[stack].site);
  return sites;
}

}  // namespace racecast::model
