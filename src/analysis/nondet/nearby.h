// The interleaving that one would try first: the recorded run up to a point shortly before the first event that has to
// wait, and from there what the challenge needs, with the scope around the read (or around the challenger) put off
// until its turn. Most feasible challenges are feasible this way, and it costs only what is performed after that point:
// who holds a lock there, and what a cell holds, is looked up, not computed.
//
// It says yes or nothing: where it gets stuck, or where a kind of synchronisation comes in that it does not know
// (conditions, semaphores, barriers, guards, tries, missing code), decide.h has the answer.
//
// Cost: points performed × threads; a binary search for each thread, and for each cell that is read.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/nondet/decide.h"
#include "analysis/nondet/regions.h"
#include "analysis/window/must_order.h"
#include "analysis/window/window.h"
#include "base/hash.h"

namespace racecast::analysis::nondet {

// An interleaving, as far as other challenges of its couple can make use of it.
struct Shown {
  std::vector<std::uint32_t> kept;       // per thread, how many points it has before r
  std::vector<std::uint32_t> at_writer;  // how many of them before w, if it has w
};

class Nearby {
 public:
  // All must outlive it; the window is Window::by_writer.
  Nearby(const predict::Window& window, const predict::MustOrder& must, const Regions& regions);

  // Of a read of the window (not kEnd), for Without and Between. True: feasible, and shown() says how.
  bool feasible(const Question& question);
  const Shown& shown() const { return shown_; }
  // The interleaving: the recorded run before first(), then these points.
  PointNo first() const { return first_; }
  std::span<const PointNo> order() const { return order_; }

 private:
  struct LockState {
    std::uint32_t owner = kNone;
    std::uint32_t readers = 0;
  };
  enum class Step : std::uint8_t { Done, Waits, Stuck };

  bool prepare(const Question& question);
  void take_over_state();
  bool run(const Question& question);
  Step step(std::uint32_t thread, const Question& question);
  Step wait_for(std::uint32_t lock, std::uint32_t thread);
  Step perform(PointNo point);
  Step perform_lock(PointNo point);
  bool ready(PointNo point) const;
  bool extend(PointNo point);
  PointNo content(CellNo cell) const;  // kNone: nobody knows what, after an append that found something else
  std::uint32_t count_before(std::uint32_t thread, PointNo point) const;

  const predict::Window& window_;
  const predict::MustOrder& must_;
  const Regions& regions_;
  const std::uint32_t threads_;

  // Of one question:
  Shown shown_;
  std::vector<std::uint32_t> done_;
  std::vector<PointNo> held_back_, until_;  // per thread: this point waits until that one is done; kNone
  HashMap<std::uint32_t, LockState> locks_;
  HashMap<CellNo, PointNo> contents_;
  std::vector<std::uint32_t> freed_;  // lives
  std::vector<PointNo> order_;
  PointNo first_ = 0, read_ = 0, forbidden_ = kNone;
  bool extended_ = false;  // more is kept than was planned: somebody had to give a lock back
};

}  // namespace racecast::analysis::nondet
