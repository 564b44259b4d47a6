#include "analysis/wcp/scope_accesses.h"

#include <utility>

#include "base/check.h"

namespace racecast::analysis {

using model::ByteMask;

namespace {

ByteMask without(ByteMask mask, ByteMask other) {
  return static_cast<ByteMask>(mask & ~other);
}

}  // namespace

void ScopeAccesses::begin(ThreadId thread, LockNo lock) {
  if (index(thread) >= open_.size()) open_.resize(index(thread) + 1);
  OpenList& list = open_[index(thread)].emplace_back();
  list.lock = lock;
  if (!spare_.empty()) {
    list.accesses = std::move(spare_.back());
    spare_.pop_back();
  }
}

void ScopeAccesses::drop_dead_bytes(Listed& access) {
  const Cell* const cell = cells_.find(access.granule);
  if (cell == nullptr || cell->deaths == nullptr) return;
  for (unsigned byte = 0; byte < 8; ++byte) {
    if ((*cell->deaths)[byte] <= access.death) continue;
    access.accessed = without(access.accessed, static_cast<ByteMask>(1u << byte));
    access.written = without(access.written, static_cast<ByteMask>(1u << byte));
  }
  access.death = deaths_;
}

// One element per granule, so that a scope that never ends does not need memory for ever.
void ScopeAccesses::merge(OpenList& list) {
  std::vector<Listed>& all = list.accesses;
  for (Listed& access : all) {
    drop_dead_bytes(access);
    access.death = deaths_;
  }
  std::sort(all.begin(), all.end(), [](const Listed& a, const Listed& b) { return a.granule < b.granule; });
  std::size_t kept = 0;
  for (const Listed& access : all) {
    if ((access.accessed | access.written) == 0) continue;
    if (kept != 0 && all[kept - 1].granule == access.granule) {
      all[kept - 1].accessed |= access.accessed;
      all[kept - 1].written |= access.written;
    } else {
      all[kept++] = access;
    }
  }
  all.resize(kept);
  list.next_merge = std::max(kFirstMerge, 2 * kept);
}

ScopeAccesses::Slot& ScopeAccesses::slot_of(Cell& cell, LockNo lock) {
  auto at = find(cell, lock);
  if (at == cell.slots.end() || at->lock != lock) {
    if (scopes_ != nullptr && cell.slots.size() == cell.slots.capacity()) {
      std::erase_if(cell.slots, [&](const Slot& slot) { return !scopes_->alive(slot.lock); });
      at = find(cell, lock);
    }
    at = cell.slots.insert(at, Slot{lock, {}});
  }
  return cell.slots[static_cast<std::size_t>(at - cell.slots.cbegin())];
}

void ScopeAccesses::enter(std::vector<Entry>& entries, Entry entry) {
  const auto same_kind = [&](const Entry& x) { return x.written == entry.written && x.shared == entry.shared; };
  ByteMask seconded = 0;  // bytes for which the latest of another thread was found
  bool empty = false;
  for (auto x = entries.rbegin(); x != entries.rend(); ++x) {
    if (!same_kind(*x)) continue;
    const ByteMask common = x->mask & entry.mask;
    if (x->release.thread == entry.release.thread) {
      if (seconded == 0 && x->mask == entry.mask) {  // the latest of its kind, of these bytes: it stays the latest
        x->release = std::move(entry.release);
        return;
      }
      x->mask = without(x->mask, common);
    } else if (!entry.shared) {
      x->mask = without(x->mask, static_cast<ByteMask>(common & seconded));
      seconded |= common;
    }
    empty |= x->mask == 0;
  }
  if (empty) std::erase_if(entries, [](const Entry& x) { return x.mask == 0; });
  entries.push_back(std::move(entry));
}

void ScopeAccesses::end(ThreadId thread, const Scope& scope, const model::Stamp& release) {
  std::vector<OpenList>& open = open_[index(thread)];
  const auto own =
      std::find_if(open.begin(), open.end(), [&](const OpenList& list) { return list.lock == scope.lock; });
  CHECK(own != open.end(), "a scope ends that never began");
  if (scopes_ == nullptr || scopes_->alive(scope.lock)) {
    for (auto list = own; list != open.end(); ++list) {  // newer scopes' accesses happened within this one, too
      for (Listed& access : list->accesses) {
        if (deaths_ != 0) drop_dead_bytes(access);
        if ((access.accessed | access.written) == 0) continue;
        std::vector<Entry>& entries = slot_of(cells_[access.granule], scope.lock).entries;
        if (access.written != 0) enter(entries, {release, access.written, true, scope.shared});
        if (access.accessed != 0) enter(entries, {release, access.accessed, false, scope.shared});
      }
    }
  }
  if (own != open.begin()) {
    OpenList& around = *std::prev(own);
    if (around.accesses.empty()) std::swap(around.accesses, own->accesses);
    around.accesses.insert(around.accesses.end(), own->accesses.begin(), own->accesses.end());
    if (around.accesses.size() >= around.next_merge) merge(around);
  }
  own->accesses.clear();
  spare_.push_back(std::move(own->accesses));
  open.erase(own);
}

void ScopeAccesses::forget(const trace::Event& e) {
  const std::uint64_t number = deaths_ + 1;
  cells_.for_range(e.address, e.size, [&](Cell& cell, ByteMask mask, std::uint64_t) {
    deaths_ = number;
    for (Slot& slot : cell.slots) {
      for (Entry& entry : slot.entries) entry.mask = without(entry.mask, mask);
      std::erase_if(slot.entries, [](const Entry& entry) { return entry.mask == 0; });
    }
    std::erase_if(cell.slots, [](const Slot& slot) { return slot.entries.empty(); });
    if (cell.deaths == nullptr) cell.deaths = std::make_unique<Deaths>();
    for (unsigned byte = 0; byte < 8; ++byte)
      if ((mask >> byte & 1) != 0) (*cell.deaths)[byte] = number;
  });
}

}  // namespace racecast::analysis
