#include "analysis/lockset/unprotected.h"

#include <algorithm>

namespace racecast::analysis {

using trace::Event;
using trace::EventKind;

Unprotected::Unprotected(const PassContext& context, unsigned shard, unsigned shards)
    : clocks_(model::Order::Must, context.definitions, context.facts.has_missing), shard_(shard), shards_(shards) {}

void Unprotected::events(std::span<const Event> batch, std::uint64_t) {
  for (const Event& recorded : batch) {
    const Event e = lanes_.rename(recorded);
    clocks_.enter(e);
    if (trace::is_checked(e)) {
      access(e);
    } else {
      if (trace::is_checked_free(e)) free(e);
      contexts_.on_event(e);
      // A granule in which only some bytes start a new life goes on as it was: a superset.
      if (e.kind == EventKind::Alloc || e.kind == EventKind::Free)
        cells_.for_range(e.address, e.size, [&](Cell& cell, model::ByteMask mask, std::uint64_t) {
          if (mask != 0xff || cell.found) return;
          const std::uint32_t more = cell.more;
          more_[more].clear();
          cell = {};
          cell.more = more;
        });
    }
    clocks_.leave(e);
  }
}

void Unprotected::access(const Event& e) {
  const std::uint64_t first = e.address >> 3, last = (e.address + e.size - 1) >> 3;
  for (std::uint64_t granule = first; granule <= last; ++granule)
    if (shards_ == 1 || static_cast<unsigned>(granule >> 9) % shards_ == shard_) access(cells_[granule], granule, e);
}

bool Unprotected::conflicts(const Entry& other, const Event& e, model::LocksetId held) {
  if (other.thread == e.thread) return false;
  model::Time latest = other.write;
  if (!trace::is_atomic(e.kind)) latest = std::max(latest, other.atomic_write);
  if (trace::overwrites(e)) {
    latest = std::max(latest, other.read);
    if (!trace::is_atomic(e.kind)) latest = std::max(latest, other.atomic_read);
  }
  return latest != 0 && !clocks_.before(other.thread, latest, e.thread) &&
         !contexts_.exclude_each_other(other.lockset, held);
}

void Unprotected::free(const Event& e) {
  const model::LocksetId held = contexts_.lockset(e.thread);
  const auto found = [&](const Entry& other) { return conflicts(other, e, held); };
  cells_.for_range(e.address, e.size, [&](Cell& cell, model::ByteMask, std::uint64_t granule) {
    if (!cell.used || cell.found || !(found(cell.first) || std::ranges::any_of(more_[cell.more], found))) return;
    cell.found = true;
    granules_.insert(granule);
    more_[cell.more] = {};
  });
}

void Unprotected::access(Cell& cell, std::uint64_t granule, const Event& e) {
  if (cell.found) return;
  const model::LocksetId held = contexts_.lockset(e.thread);
  if (!cell.used) {
    cell.used = true;
    cell.first = {e.thread, held, 0, 0, 0, 0};
    cell.common = contexts_.common(held, held, true);
  } else if (cell.first.thread != e.thread || cell.first.lockset != held) {
    cell.several_threads |= cell.first.thread != e.thread;
    cell.common = contexts_.common(cell.common, held, true);
    if (cell.more == 0) {
      cell.more = static_cast<std::uint32_t>(more_.size());
      more_.emplace_back();
    }
    std::vector<Entry>& more = more_[cell.more];
    const auto own = std::find_if(more.begin(), more.end(),
                                  [&](const Entry& x) { return x.thread == e.thread && x.lockset == held; });
    if (own == more.end()) {
      more.push_back(cell.first);
      cell.first = {e.thread, held, 0, 0, 0, 0};
    } else {
      std::swap(cell.first, *own);
    }
  }
  if (cell.several_threads && cell.common == 0) {
    const auto found = [&](const Entry& other) { return conflicts(other, e, held); };
    if (std::any_of(more_[cell.more].begin(), more_[cell.more].end(), found)) {
      cell.found = true;
      granules_.insert(granule);
      more_[cell.more] = {};
      return;
    }
  }
  const model::Time now = clocks_.now(e.thread);
  switch (e.kind) {
    case EventKind::Read: cell.first.read = now; break;
    case EventKind::Write: cell.first.write = now; break;
    default:
      if (trace::reads(e)) cell.first.atomic_read = now;
      if (trace::writes(e)) cell.first.atomic_write = now;
  }
}

}  // namespace racecast::analysis
