#include "analysis/hb/race_pairs.h"

#include <algorithm>

#include "base/hash.h"
#include "model/contexts.h"
#include "model/granules.h"

namespace racecast::analysis {

using model::ByteMask;
using trace::Event;
using trace::EventKind;

namespace {

// One access, as it is remembered: the latest of its thread with this location, kind and bytes.
struct Record {
  std::uint64_t event = 0;
  std::uint64_t address = 0;
  LocationId location{};
  model::Time time = 0;
  std::uint32_t lockset = 0, stack = 0;
  std::uint32_t size = 0;
  ByteMask mask = 0;
  bool writes = false, atomic = false;
};

// What one thread did to one granule. The two latest times tell in one comparison that nothing here is unordered with
// an access, which is so nearly always; `keys` (location, bytes, kind) are apart from the records to be scanned
// quickly.
struct ThreadHistory {
  ThreadId thread{};
  model::Time last_write = 0, last_access = 0;
  std::vector<std::uint64_t> keys;
  std::vector<Record> records;
};

std::uint64_t key_of(const Record& record) {
  return (std::uint64_t{index(record.location)} << 32) | (std::uint64_t{record.mask} << 2) | (record.writes ? 2u : 0u) |
         (record.atomic ? 1u : 0u);
}

class Pass {
 public:
  Pass(model::Order order, const trace::Definitions& definitions, bool has_missing)
      : clocks_(order, definitions, has_missing) {}

  void on_event(const Event& e, std::uint64_t number) {
    clocks_.enter(e);
    if (trace::is_access(e.kind)) {
      access(e, number);
    } else if (e.kind == EventKind::Alloc || e.kind == EventKind::Free) {
      forget(e);  // a new life of these bytes
    } else {
      contexts_.on_event(e);
    }
    clocks_.leave(e);
  }

  std::vector<RacePairs::Pair> take_pairs() { return std::move(pairs_); }

 private:
  void access(const Event& e, std::uint64_t number) {
    Record record{number,
                  e.address,
                  e.location,
                  clocks_.now(e.thread),
                  contexts_.lockset(e.thread),
                  contexts_.stack(e.thread),
                  e.size,
                  0,
                  trace::writes(e),
                  trace::is_atomic(e.kind)};
    found_.clear();
    model::for_each_granule(e.address, e.size, [&](std::uint64_t granule, ByteMask mask) {
      record.mask = mask;
      ThreadHistory* own = nullptr;
      std::vector<ThreadHistory>& threads = history_[granule];
      for (ThreadHistory& other : threads) {
        if (other.thread == e.thread) {
          own = &other;
        } else if (!clocks_.before(other.thread, record.writes ? other.last_access : other.last_write, e.thread)) {
          find_races(other, record, e.thread);
        }
      }
      if (own == nullptr) own = &threads.emplace_back(ThreadHistory{e.thread, 0, 0, {}, {}});
      remember(*own, record);
    });
    if (found_.empty()) return;
    std::sort(found_.begin(), found_.end(),
              [](const auto& a, const auto& b) { return a.second.event < b.second.event; });
    for (const auto& [thread, other] : found_) pairs_.push_back({side(thread, other), side(e.thread, record)});
  }

  void find_races(const ThreadHistory& other, const Record& record, ThreadId thread) {
    for (const Record& earlier : other.records) {
      if ((earlier.mask & record.mask) != 0 && (earlier.writes || record.writes) &&
          !(earlier.atomic && record.atomic) && !clocks_.before(other.thread, earlier.time, thread) &&
          reported_.insert(key(earlier.location, record.location)).second)
        found_.emplace_back(other.thread, earlier);
    }
  }

  static void remember(ThreadHistory& own, const Record& record) {
    own.last_access = record.time;
    if (record.writes) own.last_write = record.time;
    const std::uint64_t wanted = key_of(record);
    const auto known = std::find(own.keys.begin(), own.keys.end(), wanted);
    if (known != own.keys.end()) {
      own.records[static_cast<std::size_t>(known - own.keys.begin())] = record;
    } else {
      own.keys.push_back(wanted);
      own.records.push_back(record);
    }
  }

  static void forget(std::vector<ThreadHistory>& threads, ByteMask mask) {
    for (ThreadHistory& history : threads) {
      for (Record& record : history.records) record.mask &= static_cast<ByteMask>(~mask);
      std::erase_if(history.records, [](const Record& record) { return record.mask == 0; });
      history.keys.clear();
      for (const Record& record : history.records) history.keys.push_back(key_of(record));
    }
    std::erase_if(threads, [](const ThreadHistory& history) { return history.records.empty(); });
  }

  void forget(const Event& e) {
    if (history_.size() < e.size / 8) {  // a large object, little memory in use: look at that instead
      for (auto it = history_.begin(); it != history_.end(); ++it) {
        const std::uint64_t from = std::max(e.address, it->first << 3);
        const std::uint64_t to = std::min(e.address + e.size, (it->first + 1) << 3);
        if (from < to)
          model::for_each_granule(from, to - from, [&](std::uint64_t, ByteMask mask) { forget(it.value(), mask); });
      }
      return;
    }
    model::for_each_granule(e.address, e.size, [&](std::uint64_t granule, ByteMask mask) {
      if (auto it = history_.find(granule); it != history_.end()) forget(it.value(), mask);
    });
  }

  finding::Access side(ThreadId thread, const Record& record) const {
    finding::Access access{EventNo{record.event},
                           thread,
                           record.location,
                           record.writes,
                           record.atomic,
                           record.address,
                           record.size,
                           {},
                           contexts_.call_sites(record.stack)};
    for (const model::Hold& hold : contexts_.locks(record.lockset)) access.locks.push_back({hold.lock, hold.shared});
    return access;
  }

  static std::uint64_t key(LocationId a, LocationId b) {
    const auto [low, high] = std::minmax({index(a), index(b)});
    return (std::uint64_t{high} << 32) | low;
  }

  model::SyncClocks clocks_;
  model::Contexts contexts_;
  HashMap<std::uint64_t, std::vector<ThreadHistory>> history_;
  HashSet<std::uint64_t> reported_;
  std::vector<std::pair<ThreadId, Record>> found_;
  std::vector<RacePairs::Pair> pairs_;
};

}  // namespace

Result<bool> has_missing_code(const Input& input) {
  RC_TRY(auto source, input.open());
  for (;;) {
    RC_TRY(const auto batch, source->next());
    if (batch.empty()) return false;
    for (const Event& e : batch)
      if (e.kind == EventKind::MissingBegin) return true;
  }
}

Result<RacePairs> find_race_pairs(const Input& input, model::Order order, bool has_missing) {
  RC_TRY(auto source, input.open());
  RacePairs result;
  Pass pass(order, source->definitions(), has_missing);
  for (;;) {
    RC_TRY(const auto batch, source->next());
    if (batch.empty()) break;
    for (const Event& e : batch) pass.on_event(e, result.events++);
    if (input.progress) input.progress(result.events);
  }
  result.pairs = pass.take_pairs();
  result.definitions = source->definitions();
  return result;
}

}  // namespace racecast::analysis
