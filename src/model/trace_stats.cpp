#include "model/trace_stats.h"

#include <algorithm>
#include <bit>

#include "trace/state.h"
#include "trace/validator.h"

namespace racecast::model {

using trace::Event;
using trace::EventKind;
using trace::Group;

ThreadStats& StatsCounter::thread(ThreadId id) {
  while (index(id) >= stats_.threads.size())
    stats_.threads.push_back({ThreadId{static_cast<std::uint32_t>(stats_.threads.size())}, 0, {}, {}});
  return stats_.threads[index(id)];
}

void StatsCounter::insert(ThreadSet& set, ThreadId thread, More& more, std::uint64_t key) {
  if (index(thread) < 64) {
    set.first |= std::uint64_t{1} << index(thread);
  } else if (more[key].insert(static_cast<std::uint32_t>(index(thread))).second) {
    ++set.others;
  }
}
std::uint64_t StatsCounter::size_of(const ThreadSet& set) {
  return static_cast<std::uint64_t>(std::popcount(set.first)) + set.others;
}

void StatsCounter::add(std::span<const Event> events) {
  for (const Event& e : events) {
    ++stats_.by_kind[static_cast<std::size_t>(e.kind)];
    ++thread(e.thread).events;
    switch (trace::row_of(e.kind).group) {
      case Group::Access: access(e); break;
      case Group::Lock: lock(e); break;
      case Group::Memory: memory(e); break;
      case Group::Life:
        if (e.kind == EventKind::Fork && !thread(e.child()).forked_by) thread(e.child()).forked_by = e.thread;
        if (e.kind == EventKind::Join && !thread(e.child()).joined_by) thread(e.child()).joined_by = e.thread;
        break;
      default: break;
    }
  }
  stats_.events += events.size();
}

void StatsCounter::access(const Event& e) {
  if (trace::is_state(e)) return;  // it is no variable
  const LocksetId held = contexts_.lockset(e.thread);
  const bool writes = trace::writes(e);
  for_each_granule(e.address, std::min(e.size, trace::kMaxAccess), [&](std::uint64_t granule, ByteMask mask) {
    Variable& v = variables_[granule];
    v.granule = granule;
    ++v.accesses;
    v.reads += trace::reads(e) ? 1 : 0;
    v.writes += writes ? 1 : 0;
    v.bytes |= mask;
    const bool first_of_life = size_of(v.threads) == 0;
    insert(v.threads, e.thread, more_of_variables_, granule);
    const std::uint32_t context = held * 2 + (writes ? 1 : 0) + 1;
    if (context == v.last_context) return;
    v.last_context = context;
    v.common = first_of_life ? contexts_.common(held, held, writes) : contexts_.common(v.common, held, writes);
  });
}

// The bytes of an object get another life, or lose theirs: who touched them before does not share them with who does
// later.
void StatsCounter::end_life(Variable& v) {
  const std::uint64_t threads = size_of(v.threads);
  if (threads == 0) return;
  v.threads_max = std::max(v.threads_max, threads);
  if (v.common == 0) v.unprotected = true;
  if (threads > 1) {
    v.shared = true;
    v.shared_accesses += v.accesses - v.life_from;
    v.common_shared = v.common;
    if (v.common == 0) v.unprotected_shared = true;
  }
  if (v.threads.others != 0) more_of_variables_.erase(v.granule);
  v.threads = {};
  v.last_context = 0;
  v.life_from = v.accesses;
}

void StatsCounter::memory(const Event& e) {
  if (e.address + e.size < e.address) return;
  contexts_.on_event(e);
  variables_.for_range(e.address, e.size, [&](Variable& v, ByteMask, std::uint64_t) { end_life(v); });
  const auto last = locks_in_order_.lower_bound(e.address + e.size);
  for (auto it = locks_in_order_.lower_bound(e.address); it != last; ++it) locks_[it->second].last_holder.reset();
}

StatsCounter::Lock& StatsCounter::lock_at(std::uint64_t address) {
  auto [it, fresh] = lock_numbers_.try_emplace(address, static_cast<std::uint32_t>(locks_.size()));
  if (fresh) {
    locks_in_order_.emplace(address, it->second);
    locks_.emplace_back().stats.address = address;
  }
  return locks_[it->second];
}

void StatsCounter::lock(const Event& e) {
  const LocksetId before = contexts_.lockset(e.thread);
  contexts_.on_event(e);
  switch (e.kind) {
    case EventKind::Lock:
    case EventKind::RdLock:
    case EventKind::WrLock: {
      Lock& lock = lock_at(e.address);
      if (e.kind != EventKind::Lock) lock.stats.reader_writer = true;
      if (e.has(trace::kFailed))
        ++lock.stats.failed_tries;
      else
        acquired(e, e.address, before);
      break;
    }
    case EventKind::Wake: acquired(e, e.aux, before); break;
    default: break;
  }
}

void StatsCounter::acquired(const Event& e, std::uint64_t address, LocksetId before) {
  Lock& lock = lock_at(address);
  const LocksetId after = contexts_.lockset(e.thread);
  if (after == before) {
    ++lock.stats.again;
    return;
  }
  const std::uint64_t depth = contexts_.locks(after).size();
  ++lock.stats.acquisitions;
  if (e.kind == EventKind::RdLock) ++lock.stats.shared;
  if (lock.last_holder && *lock.last_holder != e.thread) ++lock.stats.contended;
  lock.last_holder = e.thread;
  insert(lock.threads, e.thread, more_of_locks_, address);
  if (depth > 1) ++lock.stats.nested;
  lock.stats.depth_sum += depth;
  lock.stats.depth_max = std::max(lock.stats.depth_max, depth);
  if (depth >= stats_.nesting.size()) stats_.nesting.resize(depth + 1);
  ++stats_.nesting[depth];
}

TraceStats StatsCounter::finish() {
  variables_.for_range(0, ~std::uint64_t{0}, [&](Variable& v, ByteMask, std::uint64_t) {
    end_life(v);
    VariableStats stats{v.granule * 8 + static_cast<std::uint64_t>(std::countr_zero(v.bytes)),
                        v.accesses,
                        v.reads,
                        v.writes,
                        v.threads_max,
                        v.shared,
                        {}};
    if (!(v.shared ? v.unprotected_shared : v.unprotected))
      for (const Hold& hold : contexts_.locks(v.shared ? v.common_shared : v.common)) stats.locks.push_back(hold.lock);
    stats_.accesses += v.accesses;
    stats_.shared_accesses += v.shared_accesses;
    stats_.variables.push_back(std::move(stats));
  });
  const auto by_address = [](const auto& a, const auto& b) { return a.address < b.address; };
  std::sort(stats_.variables.begin(), stats_.variables.end(), by_address);
  for (Lock& lock : locks_) {
    lock.stats.threads = size_of(lock.threads);
    stats_.locks.push_back(lock.stats);
  }
  std::sort(stats_.locks.begin(), stats_.locks.end(), by_address);
  std::erase_if(stats_.threads, [](const ThreadStats& t) { return t.events == 0 && !t.forked_by && !t.joined_by; });
  return std::move(stats_);
}

}  // namespace racecast::model
