// What a trace is made of, in the columns of RECIPE's Table II. (trace_stats.h counts more, per thread, lock and
// variable.)
#pragma once

#include <cstdint>
#include <span>

#include "base/hash.h"
#include "base/ids.h"
#include "model/symbolic/symbolic_trace.h"
#include "trace/event.h"

namespace racecast::model {

struct EventCounts {
  std::uint64_t threads = 0;        // that have events or were forked
  std::uint64_t reads = 0;          // of memory; a read-modify-write is both
  std::uint64_t writes = 0;         // likewise; without compare-and-swaps that failed
  std::uint64_t branches = 0;       // events of kind Branch
  std::uint64_t synchronising = 0;  // locks, conditions, semaphores and their kind; begin, end, fork and join
  std::uint64_t events = 0;
  bool operator==(const EventCounts&) const = default;
};

class EventCounter {
 public:
  // The next events of the trace.
  void add(std::span<const trace::Event> events);
  const EventCounts& counts() const { return counts_; }

 private:
  void saw(ThreadId thread);

  EventCounts counts_;
  HashSet<std::uint32_t> threads_;
};

// Reads on which an address of a later event depends (RECIPE: base reads): through computations of their thread, not
// through memory, where another read gets the value. What the model does not know counts for nothing. Linear in the
// nodes.
std::uint64_t count_base_reads(const SymbolicTrace& symbols);

}  // namespace racecast::model
