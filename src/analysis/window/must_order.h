// What must be kept, and before what, in every correct reordering: clocks of all points of a window. If v is kept, then
// every point that its clock contains is kept, before it.
//
// The edges: program order, fork and join, alloc before use, ties of missing code, what a barrier or a once-guard
// forces; and what follows from them, to a fixpoint: what all writes that a demanded read can read from have in common
// (of state outside of memory: every earlier append);
// the release of a scope of the same lock whose begin is in the past. All edges lead forward in the trace (the trace is
// a correct reordering itself), so each round is one pass; rounds end when candidates for reads are struck no more,
// three at most.
//
// A clock is a count of points per lane: of the threads that share one (model/order/lanes.h), all points of an earlier
// one are before those of a later one. It changes only where something is joined; points share copies. Memory:
// eight bytes a point; a row of 4 × lanes bytes for each lane, each fork and each join that brought something new
// (the array of rows doubles as it grows: at times twice that); four bytes for each writer of each cell, eight where
// its value is known. From the second round on, while it is built, points and rows are there once more: a round is
// compared with the one before.
#pragma once

#include <tsl/robin_map.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "analysis/window/window.h"

namespace racecast::analysis::predict {

// A value of a cell.
struct ValueKey {
  CellNo cell = 0;
  std::uint64_t value = 0;
  bool operator==(const ValueKey&) const = default;
};
struct ValueHash {
  std::size_t operator()(const ValueKey& key) const { return MixHash()(MixHash()(key.value) + key.cell); }
};

class MustOrder {
 public:
  explicit MustOrder(const Window& window);

  // Of each thread, how many points must come before one (its own thread: without it).
  class Counts {
   public:
    std::uint32_t operator[](std::uint32_t thread) const {
      const std::uint32_t lane = window_.lane_of_thread[thread], before = window_.before_in_lane[thread];
      const std::uint32_t count = lane == window_.lane_of(point_) ? window_.place_of(point_) : row_[lane];
      return count <= before ? 0
                             : std::min(count - before, static_cast<std::uint32_t>(window_.of_thread[thread].size()));
    }
    // Of each lane; its own component means nothing.
    std::span<const std::uint32_t> by_lane() const { return row_; }
    std::vector<std::uint32_t> by_thread() const {
      std::vector<std::uint32_t> counts(window_.of_thread.size());
      for (std::uint32_t t = 0; t < counts.size(); ++t) counts[t] = (*this)[t];
      return counts;
    }

   private:
    friend class MustOrder;
    Counts(const Window& window, PointNo point, std::span<const std::uint32_t> row)
        : window_(window), point_(point), row_(row) {}
    const Window& window_;
    PointNo point_;
    std::span<const std::uint32_t> row_;
  };
  // `needs`: before the point can be next; without what its own reads need.
  Counts needs(PointNo point) const { return {window_, point, row(needs_[point])}; }
  // With that: before it can be performed.
  Counts clock(PointNo point) const { return {window_, point, row(clock_[point])}; }
  std::uint32_t clock_id(PointNo point) const { return clock_[point]; }
  bool before(PointNo a, PointNo b) const {
    // Fixed points are in recorded order; their clocks, of which each has all of them, do not say so.
    const std::uint32_t lane = window_.lane_of(a);
    if (b <= window_.fixed || lane == window_.lane_of(b)) return a < b;
    return row(clock_[b])[lane] > window_.place_of(a);
  }
  // The first position of `thread` whose point must come after the given one; kNone.
  std::uint32_t first_after(PointNo point, std::uint32_t thread) const;
  // From this position on, the thread's points are in no correct reordering; kNone: all may be.
  std::uint32_t limit(std::uint32_t thread) const {
    const std::uint32_t of_lane = limit_[window_.lane_of_thread[thread]], before = window_.before_in_lane[thread];
    return of_lane == kNone ? kNone : of_lane <= before ? 0 : of_lane - before;
  }

  // The writes of a thread to a cell, in order.
  std::span<const PointNo> writes_of(CellNo cell, std::uint32_t thread) const;
  // The writes (kStart: the start content; an event of missing code) that this read may find in the cell and that keep
  // it faithful. Not of state, where all appends before it count.
  std::vector<PointNo> sources(PointNo read, const CellAccess& access) const;
  // The writes that may be the last before `reader` in the cell (a read-modify-write may be among them itself).
  struct PossibleWriters {
    bool before_all = false;  // `section`, which is no write (kStart, an event of missing code): as above
    std::vector<std::span<const PointNo>> by_lane;  // of lanes that have some; in order
  };
  PossibleWriters writers(PointNo reader, CellNo cell, PointNo section) const;

 private:
  struct Pass;
  std::span<const std::uint32_t> row(std::uint32_t id) const {
    return std::span(rows_).subspan(std::size_t{id} * lanes_, lanes_);
  }
  std::vector<std::uint32_t> copy_of_row(std::uint32_t id) const { return {row(id).begin(), row(id).end()}; }
  std::span<const PointNo> writes_of_lane(CellNo cell, std::uint32_t lane) const;

  // The last certain write of each lane that must be before the reader and is not before the section.
  std::vector<PointNo> latest_before(PointNo reader, CellNo cell, PointNo section) const;
  // Does it write, if the first `count` points of its lane are performed?
  bool is_certain_write(PointNo write, std::uint32_t count) const;
  // Those of `candidates` that may be the last write before `reader`.
  std::vector<PointNo> possible(PointNo reader, CellNo cell, PointNo section,
                                std::span<const PointNo> candidates) const;
  // The last write to the cell among the first `count` points of `lane`; kNone.
  PointNo last_write(CellNo cell, std::uint32_t lane, std::uint32_t count) const;

  const Window& window_;
  const std::size_t lanes_;
  struct Writers {
    std::vector<std::vector<PointNo>> by_lane;                           // by cell: its writers, by lane, then in order
    tsl::robin_map<ValueKey, std::vector<PointNo>, ValueHash> by_value;  // the writers of a value, likewise
  };
  std::shared_ptr<const Writers> writers_;  // shared by the copies that rounds compare with
  std::vector<std::uint32_t> rows_, needs_, clock_;
  std::vector<std::uint32_t> limit_;  // by lane
};

}  // namespace racecast::analysis::predict
