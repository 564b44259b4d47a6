// A window of a trace, as the predictor sees it: what all pairs of accesses share, built once.
//
// Only events that can matter are *points*: accesses to memory that several threads touch and one writes (or that
// missing code reaches), synchronisation, and what demands values (branches, computed addresses) after such a read.
// The others only go with the next point of their thread; they are put back when a schedule is written out. Memory is
// cut into *cells*, bytes that every access treats alike. Points and cells are numbered densely, points in the order of
// the trace.
//
// With a symbolic trace the window is *relaxed* (value relaxation, docs/value.md): no read is demanded to be faithful;
// instead events have conditions on what their thread computed. Points are then the events with conditions that can
// change, and cells also those of memory that one thread alone uses to pass on values that can change.
//
// Linear in the window, but for sorting; a large access costs the cells that it covers, and each event of missing code
// those that it reaches.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/ids.h"
#include "model/order/execution.h"
#include "model/symbolic/symbolic_trace.h"
#include "trace/trace.h"

namespace racecast::analysis::predict {

using PointNo = std::uint32_t;
using CellNo = std::uint32_t;
inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
// As a writer: what was there before the first write. Smaller than every point, as points count from 1 here.
inline constexpr PointNo kStart = 0;

// Bytes [offset, offset + size) of a little-endian value.
inline std::uint64_t cut(std::uint64_t value, std::uint64_t offset, std::uint64_t size) {
  const std::uint64_t shifted = value >> (8 * offset);
  return size >= 8 ? shifted : shifted & ((std::uint64_t{1} << (8 * size)) - 1);
}

// What an access does to one cell. An append writes, and finds what it does not read (trace/state.h).
struct CellAccess {
  CellNo cell = 0;
  PointNo recorded = kStart;  // of what is read or found: who wrote it, in the trace (an own point of missing code
                              // counts as a write); kNone: its value is nobody's (trace::kByValue)
  PointNo section = kStart;   // likewise: the last own point of missing code before it that reaches the cell
  bool reads = false, writes = false, appends = false;
  bool read_known = false, written_known = false;
  bool only_by_identity = false;  // missing code that runs reaches it: no value tells it is faithful
  std::uint64_t read = 0, written = 0;
};

struct Cell {
  std::uint64_t address = 0, size = 0;
  std::uint32_t life = model::kNoLife;
  bool is_state = false;  // outside of memory: written by appends only
  bool start_known = false;
  std::uint64_t start = 0;  // content before the first write
};

// A lock held from `acquire` to `release` (kNone: to the end of the window).
struct Scope {
  std::uint32_t object = 0;
  std::uint32_t thread = 0;
  bool shared = false;
  PointNo acquire = 0, release = kNone;
  PointNo certain = 0;  // whoever performs this point holds it: `acquire`; of a try that may fail, where that is
                        // decided (kNone: nowhere in the scope)
};

// Relaxed: an operation that may end otherwise than recorded.
struct FreeOutcome {
  const model::Outcome* outcome = nullptr;
  PointNo decided = kNone;  // Outcome::decided
};

// The order of operations on one synchronisation object, in the trace.
struct Object {
  std::vector<PointNo> points;
  std::vector<std::uint32_t> scopes;  // of a lock: into Window::scopes
  bool tried = false;                 // of a lock: a try of it has a free outcome
  // Of such a one: whatever takes it or gives it back, waits and wakes too, by thread. Empty: the thread does not use
  // it.
  std::vector<std::vector<PointNo>> users;
  bool recursive = false;     // likewise: its holder may take it again
  std::int64_t start = 0;     // of a semaphore: units at the start
  std::uint64_t parties = 0;  // of a barrier; 0: not known
};

class Window {
 public:
  // `symbols`: of this trace; null: nothing is relaxed. All must outlive the window.
  Window(const trace::Trace& trace, std::uint64_t fixed, const model::SymbolicTrace* symbols = nullptr)
      : Window(trace, fixed, symbols, false) {}
  // Every read keeps its recorded writer (`nondet`): an equal value from another write will not do, and so no branch or
  // address demands anything.
  static Window by_writer(const trace::Trace& trace, std::uint64_t fixed) {
    return Window(trace, fixed, nullptr, true);
  }

  const trace::Trace& trace;
  const model::Execution execution;
  const model::SymbolicTrace* const symbols;
  const bool keeps_writers;  // by_writer()

  // Points are 1 to size(); index 0 of these is unused.
  PointNo size() const { return static_cast<PointNo>(event_of.size()) - 1; }
  std::vector<EventNo> event_of;
  std::vector<std::uint32_t> thread_of, position_of;  // position: among the points of its thread, from 0
  std::vector<std::vector<PointNo>> of_thread;        // points of each thread
  // Threads that share a lane (model/order/lanes.h): its points are theirs, one thread after the other.
  std::uint32_t lanes = 0;
  std::vector<std::uint32_t> lane_of_thread, before_in_lane;  // by thread; points of the lane before its first
  std::uint32_t lane_of(PointNo point) const { return lane_of_thread[thread_of[point]]; }
  std::uint32_t place_of(PointNo point) const { return before_in_lane[thread_of[point]] + position_of[point]; }
  std::vector<PointNo> point_of;                   // by event: its point; of one that is none: kNone
  std::vector<std::uint32_t> object_of, mutex_of;  // sync: into objects; kNone
  std::vector<std::uint32_t> life_of;              // accesses, alloc, free
  std::vector<std::uint32_t> demanded_by;          // of a read: the position of the point that demands that it is
                                                   // faithful (may be its own); kNone: none does
  std::vector<std::uint32_t> last_demand;          // position of the last point of its thread, up to and including
                                                   // this one, that demands earlier reads; kNone
  std::vector<char> demands;                       // does it demand that earlier reads are faithful? (Relaxed: has
                                                   // it conditions that can change?)
  std::vector<PointNo> alloc_of, free_of;          // by life: kNone if not there
  std::vector<std::uint32_t> scope_of;             // by point: the scope it begins, kNone
  PointNo fixed = 0;                               // points up to this one are kept in recorded order

  std::vector<Cell> cells;
  std::vector<std::vector<PointNo>> writers;  // by cell, in order
  std::vector<PointNo> last_section;          // by cell (that is not freed): the last own point of missing code
                                              // that reaches it; kStart
  std::vector<Object> objects;
  std::vector<Scope> scopes;
  // The state in the middle of the recorded run: what is needed to tell that of a plain mutex (locked and unlocked by
  // turns, by one thread each time) is its own points; all others are run through.
  std::vector<char> plain;                // by object
  std::vector<std::uint32_t> not_plain;   // the others
  std::vector<PointNo> not_plain_points;  // of these, in order
  PointNo as_recorded = 0;                // up to here every read of the trace finds what was recorded
  std::vector<PointNo> diverges_at;       // by thread: the branch with which it leaves its recorded path; kNone
  bool every_read = false;                // value-all: the trace has no branches
  std::vector<char> may_change;           // relaxed, by node: can it have another value than the recorded one?
  // Scopes that are certain later than they begin, by that point, in order.
  std::vector<std::pair<PointNo, std::uint32_t>> certain_later;

  const trace::Event& event(PointNo point) const { return trace.events[index(event_of[point])]; }
  bool relaxed() const { return symbols != nullptr; }
  // Relaxed: what the write stores, if that can change; else kConstant.
  model::NodeNo written(PointNo write) const;
  // Null: it ends as recorded, or is not performed.
  const FreeOutcome* free_outcome(PointNo point) const {
    if (free_.empty() || free_of_[point] == kNone) return nullptr;
    return &free_[free_of_[point]];
  }
  // Is it a write, or a compare-and-swap that may be one?
  bool may_write(PointNo point) const {
    const trace::Event& e = event(point);
    return trace::writes(e) || (e.has(trace::kCas) && free_outcome(point) != nullptr);
  }
  // By cell. The number of the first, among those of all points, is first_access().
  std::span<const CellAccess> accesses(PointNo point) const {
    return std::span(accesses_).subspan(accesses_begin_[point], accesses_begin_[point + 1] - accesses_begin_[point]);
  }
  std::uint32_t first_access(PointNo point) const { return accesses_begin_[point]; }
  std::size_t access_count() const { return accesses_.size(); }
  // What a write stores in a cell that it writes.
  const CellAccess& access(PointNo point, CellNo cell) const;
  // An own point of missing code is kept only if what its thread read, also there, was faithful, and what it reaches
  // holds what was recorded.
  bool is_own_point(PointNo point) const {
    return execution.has_missing() && !execution.sections_of(event_of[point]).empty();
  }
  bool reaches(PointNo own_point, CellNo cell) const;

  // May the write leave in the cell what the read's piece must find? `writer` kStart: the start content.
  bool gives(PointNo writer, const CellAccess& read) const;

 private:
  struct Builder;
  Window(const trace::Trace& trace, std::uint64_t fixed, const model::SymbolicTrace* symbols, bool keeps_writers);
  std::vector<FreeOutcome> free_;
  std::vector<std::uint32_t> free_of_;  // by point: into free_; empty if that is
  std::vector<CellAccess> accesses_;
  std::vector<std::uint32_t> accesses_begin_;
};

}  // namespace racecast::analysis::predict
