// What the exact order analyses (hb, shb, hybrid, wcp) remember of a variable, and how they find pairs: every pair
// of source locations with conflicting accesses that the order leaves unordered, with the first pair of events that
// shows it; and every racy event.
//
// Per granule of memory it keeps, for each (thread, location, kind, bytes, and for hybrid the locks held), the latest
// access only. That is enough: an earlier access of the same thread is ordered before whatever the latest one is
// ordered before, so if it races with a later access, the latest one does too. So time per access is the number of such
// entries of its granule, and memory is bounded by granules times distinct (thread, location); neither grows with the
// length of the trace. Granules that a filter ruled out (analysis.h) are not looked at.
//
// The threads of events and clocks are lanes (model/order/lanes.h), those of pairs are not.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/racy_counter.h"
#include "base/hash.h"
#include "model/contexts.h"
#include "model/order/lanes.h"
#include "model/order/vector_clock.h"

namespace racecast::analysis {

struct RacePair {
  finding::Access first, second;  // in recorded order
  // What is before one of the two; filled if RaceHistory was told to keep stamps.
  finding::Prefix past;
};

class RaceHistory {
 public:
  // `by_lockset`: accesses with different locks held are different entries, and pairs that a common lock excludes are
  // no pairs (hybrid). `stamps`: remember the past of every access.
  struct Options {
    bool by_lockset = false;
    bool stamps = false;
  };
  // `lanes` must outlive it.
  RaceHistory(const PassContext& context, Options options, const model::Lanes& lanes)
      : definitions_(context.definitions),
        lanes_(lanes),
        granules_(*context.granules),
        options_(options),
        racy_(context.keep_racy_events) {}

  // An access, between Clocks::enter and Clocks::leave.
  template <typename Clocks>
  [[gnu::always_inline]] void access(const trace::Event& e, std::uint64_t number, Clocks& clocks) {
    if (e.has(trace::kUnchecked)) return;
    const std::uint64_t first = e.address >> 3, last = (e.address + e.size - 1) >> 3;
    if (first == last ? granules_.contains(first) : granules_.overlaps(e.address, e.size)) look(e, number, clocks);
  }
  // Likewise a free: an access to all of the object, and its last one.
  template <typename Clocks>
  void free(const trace::Event& e, std::uint64_t number, Clocks& clocks) {
    Record record = record_of(e, number, clocks);
    found_.clear();
    bool racy = false;
    model::for_granules_of(history_, e.address, e.size,
                           [&](std::vector<ThreadHistory>& threads, model::ByteMask mask, std::uint64_t) {
                             record.mask = mask;
                             racy |= compare(threads, e.thread, record, clocks);
                           });
    if (racy) report(e, record);
  }
  // Any other event, a free too: contexts, and new lives of memory.
  void other(const trace::Event& e) {
    if (e.kind == trace::EventKind::Alloc || e.kind == trace::EventKind::Free) forget(e);
    contexts_.on_event(e);
  }

  // In order of the second access, then of the first.
  std::vector<RacePair> take_pairs() { return std::move(pairs_); }
  RacyEvents take_racy() { return racy_.take(); }

 private:
  // One access, as it is remembered.
  struct Record {
    std::uint64_t event = 0;
    std::uint64_t address = 0;
    LocationId location{};
    model::Time time = 0;
    model::LocksetId lockset = 0;
    std::uint32_t stack = 0;
    std::uint32_t size = 0;
    model::ByteMask mask = 0;
    bool writes = false, atomic = false, frees = false;
    model::FrozenClock past;
  };
  // What makes two accesses of a thread the same entry.
  struct Key {
    std::uint64_t what = 0;
    model::LocksetId lockset = 0;
    bool operator==(const Key&) const = default;
  };
  // What one thread did to one granule. The two latest times tell in one comparison that nothing here is unordered with
  // an access, which is so nearly always; `keys` are apart from the records to be scanned quickly.
  struct ThreadHistory {
    ThreadId thread{};
    model::Time last_write = 0, last_access = 0;
    std::vector<Key> keys;
    std::vector<Record> records;
  };

  template <typename Clocks>
  Record record_of(const trace::Event& e, std::uint64_t number, Clocks& clocks) {
    Record record{number,
                  e.address,
                  e.location,
                  clocks.now(e.thread),
                  contexts_.lockset(e.thread),
                  contexts_.stack(e.thread),
                  e.size,
                  0,
                  trace::overwrites(e),
                  trace::is_atomic(e.kind),
                  e.kind == trace::EventKind::Free,
                  {}};
    if (options_.stamps) record.past = clocks.stamp(e.thread).past;
    return record;
  }
  template <typename Clocks>
  [[gnu::noinline]] void look(const trace::Event& e, std::uint64_t number, Clocks& clocks) {
    Record record = record_of(e, number, clocks);
    found_.clear();
    bool racy = false;
    model::for_each_granule(e.address, e.size, [&](std::uint64_t granule, model::ByteMask mask) {
      if (!granules_.contains(granule)) return;
      record.mask = mask;
      std::vector<ThreadHistory>& threads = history_[granule];
      racy |= compare(threads, e.thread, record, clocks);
      auto own =
          std::find_if(threads.begin(), threads.end(), [&](const auto& other) { return other.thread == e.thread; });
      if (own == threads.end()) own = threads.insert(own, ThreadHistory{e.thread, 0, 0, {}, {}});
      remember(*own, record);
    });
    if (racy) report(e, record);
  }
  // What others did to a granule against what `thread` does now: is there a pair? New ones go to found_.
  template <typename Clocks>
  bool compare(const std::vector<ThreadHistory>& threads, ThreadId thread, const Record& record, Clocks& clocks) {
    bool racy = false;
    for (const ThreadHistory& other : threads) {
      if (other.thread == thread ||
          clocks.before(other.thread, record.writes ? other.last_access : other.last_write, thread))
        continue;
      for (const Record& earlier : other.records)
        if (conflict(earlier, record) && !clocks.before(other.thread, earlier.time, thread) &&
            !(options_.by_lockset && contexts_.exclude_each_other(earlier.lockset, record.lockset))) {
          racy = true;
          if (reported_.insert(places_of(earlier, record)).second) found_.emplace_back(other.thread, earlier);
        }
    }
    return racy;
  }

  static bool conflict(const Record& a, const Record& b) {
    return (a.mask & b.mask) != 0 && (a.writes || b.writes) && !(a.atomic && b.atomic);
  }
  finding::Places places_of(const Record& a, const Record& b) const {
    return std::minmax(finding::place_of(definitions_, a.location, a.address, a.frees),
                       finding::place_of(definitions_, b.location, b.address, b.frees));
  }
  void remember(ThreadHistory& own, const Record& record) const;
  void report(const trace::Event& e, const Record& record);
  void forget(const trace::Event& e);
  static void forget(std::vector<ThreadHistory>& threads, model::ByteMask mask);
  finding::Access side(ThreadId thread, const Record& record) const;

  const trace::Definitions& definitions_;
  const model::Lanes& lanes_;
  const model::GranuleSet granules_;
  const Options options_;
  model::Contexts contexts_;
  HashMap<std::uint64_t, std::vector<ThreadHistory>> history_;
  tsl::robin_set<finding::Places, finding::PlacesHash> reported_;
  std::vector<std::pair<ThreadId, Record>> found_;
  std::vector<RacePair> pairs_;
  RacyCounter racy_;
};

}  // namespace racecast::analysis
