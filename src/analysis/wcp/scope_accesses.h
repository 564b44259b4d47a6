// What rule (a) of wcp and cp remembers (docs/semantics.md, section 6): for every lock and every granule of memory, the
// releases that an access under this lock comes after, because their scopes accessed the same bytes.
//
// Exclusive scopes of one lock are totally ordered by hb, and what is ≺-before an event is closed under hb. So, per
// byte and kind of access, the latest release and the latest of another thread than that one are all that a later
// access can need; of shared scopes the latest of each thread. While a scope is open its accesses are only listed, at
// the newest scope that is open in its thread; when a scope ends, they are entered for it and passed on to the scope
// around it.
//
// Accesses outside scopes cost nothing. One inside costs, per granule, a look-up for each lock held, and an entry for
// each when the scope ends. Memory: a few entries per lock and granule that met, released with the lock, and the
// distinct granules of open scopes: neither grows with the length of the trace. Bytes of a new life start anew: entries
// go at once; listed accesses are compared with the number of the last death of their bytes, when they are entered.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "analysis/wcp/scopes.h"
#include "model/memory/shadow.h"
#include "model/order/vector_clock.h"
#include "trace/event.h"

namespace racecast::analysis {

class ScopeAccesses {
 public:
  // With `scopes`, which must outlive this, what belongs to dead locks is let go of.
  explicit ScopeAccesses(const Scopes* scopes) : scopes_(scopes) {}

  void begin(ThreadId thread, LockNo lock);
  // An access with these scopes (at least one) open in its thread. Calls found(scope, release) for releases that are
  // before it by the rule, for each scope and common byte the latest ones at least; and lists the access.
  template <typename Found>
  void access(const trace::Event& e, std::span<const Scope> open, Found&& found) {
    const bool writes = trace::writes(e);
    model::for_each_granule(e.address, e.size, [&](std::uint64_t granule, model::ByteMask mask) {
      look(cells_[granule], mask, e.thread, writes, open, found);
      list(e.thread, granule, trace::is_append(e) ? model::ByteMask{0} : mask, writes ? mask : model::ByteMask{0});
    });
  }
  // Likewise a free, which is a write of all of the object. It is not listed: nobody accesses the object after it.
  template <typename Found>
  void free(const trace::Event& e, std::span<const Scope> open, Found&& found) {
    cells_.for_range(e.address, e.size, [&](const Cell& cell, model::ByteMask mask, std::uint64_t) {
      look(cell, mask, e.thread, true, open, found);
    });
  }
  // A scope that begin() was told of ends; `release` is the stamp of its last event, in hb.
  void end(ThreadId thread, const Scope& scope, const model::Stamp& release);
  // An alloc or a free.
  void forget(const trace::Event& e);

 private:
  // Bytes that a scope accessed, or (`written`) wrote: a write looks for the first, a read for the second. An append
  // counts as written alone, so that no other append looks for it.
  struct Entry {
    model::Stamp release;
    model::ByteMask mask = 0;
    bool written = false, shared = false;
  };
  struct Slot {
    LockNo lock = 0;
    std::vector<Entry> entries;  // of each kind, the latest last
  };
  using Deaths = std::array<std::uint64_t, 8>;  // of each byte, the number of its last death
  struct Cell {
    std::vector<Slot> slots;  // by lock
    std::unique_ptr<Deaths> deaths;
  };
  // An access of an open scope.
  struct Listed {
    std::uint64_t granule = 0;
    std::uint64_t death = 0;  // the last one before it, of any byte
    model::ByteMask accessed = 0, written = 0;
  };
  struct OpenList {
    LockNo lock = 0;
    std::vector<Listed> accesses;
    std::size_t next_merge = kFirstMerge;
  };
  static constexpr std::size_t kFirstMerge = 256;

  static std::vector<Slot>::const_iterator find(const Cell& cell, LockNo lock) {
    auto slot = cell.slots.begin();
    if (cell.slots.size() > 8)
      return std::partition_point(slot, cell.slots.end(), [&](const Slot& s) { return s.lock < lock; });
    while (slot != cell.slots.end() && slot->lock < lock) ++slot;
    return slot;
  }
  template <typename Found>
  static void look(const Cell& cell, model::ByteMask mask, ThreadId thread, bool writes, std::span<const Scope> open,
                   const Found& found) {
    for (const Scope& scope : open) {
      const auto slot = find(cell, scope.lock);
      if (slot == cell.slots.end() || slot->lock != scope.lock) continue;
      for (const Entry& entry : slot->entries)
        if ((entry.mask & mask) != 0 && entry.written != writes && entry.release.thread != thread &&
            !(entry.shared && scope.shared))
          found(scope, entry.release);
    }
  }
  void list(ThreadId thread, std::uint64_t granule, model::ByteMask accessed, model::ByteMask written) {
    OpenList& newest = open_[index(thread)].back();
    if (!newest.accesses.empty() && newest.accesses.back().granule == granule &&
        newest.accesses.back().death == deaths_) {
      newest.accesses.back().accessed |= accessed;
      newest.accesses.back().written |= written;
      return;
    }
    newest.accesses.push_back({granule, deaths_, accessed, written});
    if (newest.accesses.size() >= newest.next_merge) merge(newest);
  }
  void merge(OpenList& list);
  void drop_dead_bytes(Listed& access);
  Slot& slot_of(Cell& cell, LockNo lock);
  static void enter(std::vector<Entry>& entries, Entry entry);

  const Scopes* const scopes_;
  model::Shadow<Cell> cells_;
  std::vector<std::vector<OpenList>> open_;  // by thread, in the order in which the scopes began
  std::vector<std::vector<Listed>> spare_;   // empty lists, to be used again
  std::uint64_t deaths_ = 0;
};

}  // namespace racecast::analysis
