// What a trace is made of, in numbers: threads, locks, variables, events by kind, how deep locks are nested and how
// much memory is shared. One streaming pass; nothing is checked, and no input breaks it: an unlock without a lock gives
// back nothing.
//
// A variable is a granule, 8 aligned bytes. What several objects did at one address, one after the other, is told apart
// (two threads that each had their own object there do not share it) and then added up. Cost: one look-up per granule
// and access; memory for every touched granule and every lock address.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/hash.h"
#include "base/ids.h"
#include "model/contexts.h"
#include "model/memory/shadow.h"
#include "trace/event.h"

namespace racecast::model {

struct ThreadStats {
  ThreadId thread{};
  std::uint64_t events = 0;
  std::optional<ThreadId> forked_by, joined_by;  // the first that did
};

struct LockStats {
  std::uint64_t address = 0;
  bool reader_writer = false;
  std::uint64_t acquisitions = 0;  // also by a wake; without those by a thread that held it already
  std::uint64_t shared = 0;        // of these, for reading
  std::uint64_t again = 0;         // taken by a thread that held it already
  std::uint64_t threads = 0;       // that took it
  std::uint64_t contended = 0;     // acquisitions whose previous holder was another thread
  std::uint64_t failed_tries = 0;
  std::uint64_t nested = 0;     // acquisitions while another lock was held
  std::uint64_t depth_sum = 0;  // of its acquisitions: locks held then, this one included
  std::uint64_t depth_max = 0;
};

struct VariableStats {
  std::uint64_t address = 0;  // the first byte of the granule that was touched
  std::uint64_t accesses = 0;
  std::uint64_t reads = 0, writes = 0;  // a read-modify-write is both
  std::uint64_t threads = 0;            // that touched one object at this address, at most
  bool shared = false;                  // by more than one thread
  // Locks that every access held (a write: exclusively). Of a shared variable, only what was shared counts; empty if
  // one of the objects at this address had none.
  std::vector<std::uint64_t> locks;
};

struct TraceStats {
  std::uint64_t events = 0;
  std::array<std::uint64_t, trace::kEventKinds> by_kind{};  // by EventKind
  std::vector<ThreadStats> threads;                         // that have events, were forked or joined; by id
  std::vector<LockStats> locks;                             // by address
  std::vector<VariableStats> variables;                     // by address
  std::vector<std::uint64_t> nesting;  // [d]: acquisitions after which their thread held d locks; [0] is 0
  // An access of two granules counts twice.
  std::uint64_t accesses = 0;
  std::uint64_t shared_accesses = 0;  // to memory that more than one thread touched
};

class StatsCounter {
 public:
  // The next events of the trace.
  void add(std::span<const trace::Event> events);
  // After the last event; once.
  TraceStats finish();

 private:
  // A set of threads: most traces have few.
  struct ThreadSet {
    std::uint64_t first = 0;  // a bit for each of the first 64
    std::uint32_t others = 0;
  };
  using More = HashMap<std::uint64_t, HashSet<std::uint32_t>>;
  struct Lock {
    LockStats stats;
    ThreadSet threads;
    std::optional<ThreadId> last_holder;
  };
  struct Variable {
    std::uint64_t granule = 0;
    std::uint64_t accesses = 0, reads = 0, writes = 0;
    std::uint64_t shared_accesses = 0;  // of earlier lives
    std::uint64_t life_from = 0;        // how many accesses there were when this life began
    std::uint64_t threads_max = 0;      // of earlier lives
    ThreadSet threads;                  // of this life
    std::uint32_t last_context = 0;     // of the last access, to see at once that nothing changed; 0: none
    LocksetId common = 0;               // locks of all accesses of this life
    LocksetId common_shared = 0;        // of an earlier life that was shared
    ByteMask bytes = 0;                 // touched, ever
    bool shared = false;                // in an earlier life
    bool unprotected = false, unprotected_shared = false;  // an earlier life had no common lock; and was shared
  };

  void access(const trace::Event& event);
  void lock(const trace::Event& event);
  void acquired(const trace::Event& event, std::uint64_t address, LocksetId before);
  void memory(const trace::Event& event);
  void end_life(Variable& variable);
  Lock& lock_at(std::uint64_t address);
  ThreadStats& thread(ThreadId id);
  // `more`: where the threads beyond the first 64 are kept.
  void insert(ThreadSet& set, ThreadId thread, More& more, std::uint64_t key);
  static std::uint64_t size_of(const ThreadSet& set);

  TraceStats stats_;
  Contexts contexts_;
  Shadow<Variable> variables_;
  std::vector<Lock> locks_;
  HashMap<std::uint64_t, std::uint32_t> lock_numbers_;     // by address
  std::map<std::uint64_t, std::uint32_t> locks_in_order_;  // the same
  More more_of_variables_, more_of_locks_;                 // by granule, by address
};

}  // namespace racecast::model
