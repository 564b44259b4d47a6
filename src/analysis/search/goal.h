// A goal that a correct reordering of a window may reach, and the search for one that does: attempt, learn from what
// got stuck, ask for another proposal, and again. `maximal` asks whether two accesses can be next together, `nondet`
// whether a read can be next while another write than its own is the last one. What is before the goal (point kRace of
// lemmas.h, on a chain of its own) is kept; all else comes after it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "analysis/maximal/decide.h"
#include "analysis/search/attempt.h"
#include "analysis/search/lemmas.h"
#include "analysis/window/must_order.h"
#include "analysis/window/window.h"
#include "finding/schedule.h"
#include "smt/solver.h"

namespace racecast::analysis::predict {

// The order that a search starts from: what must be before what, and the goal after what it needs.
class GoalOrder final : public smt::BaseOrder {
 public:
  // Needs nothing yet. Both must outlive it.
  GoalOrder(const Window& window, const MustOrder& must);

  // The point is next when the goal is reached: what it needs is kept, itself and the end of its object are not.
  void put_next(PointNo point);
  // The point is kept.
  void keep(PointNo point);
  // Every point is.
  void keep_all();
  // The point is not kept.
  void put_after(PointNo point);

  // Is there no reordering, by this order alone?
  bool refuted() const;
  // Of each thread, how many points are kept at least.
  const std::vector<std::uint32_t>& cut() const { return cut_; }
  // And from which one on they are not.
  const std::vector<std::uint32_t>& after() const { return after_; }

  std::uint32_t chains() const override { return threads_ + 1; }
  std::uint32_t chain_of(smt::Point p) const override { return p == kRace ? threads_ : window_.thread_of[p]; }
  std::uint32_t position_of(smt::Point p) const override { return p == kRace ? 0 : window_.position_of[p]; }
  std::uint32_t first_after(smt::Point p, std::uint32_t chain) const override;

 private:
  const Window& window_;
  const MustOrder& must_;
  const std::uint32_t threads_;
  std::vector<std::uint32_t> cut_, after_;
};

// What a search has: `solver` is over a GoalOrder, `lemmas` fills it, `attempt` may be used again for other goals.
struct GoalSearch {
  const Window& window;
  const MustOrder& must;
  const GoalOrder& order;
  smt::Solver& solver;
  Lemmas& lemmas;
  Attempt& attempt;
  // After a proposal was performed: is it what was asked for? If not, it must have added a clause that the proposal
  // breaks. May be empty.
  std::function<bool(const Attempt&)> accepts = {};
  // The order to start with, beside `order`: what the solver has been told already.
  std::vector<smt::Edge> edges = {};
  // Perform it once more with fewer changes of thread, if that goes: for who will show it.
  bool for_people = true;
  bool near = false;  // keep what was recorded before the accesses that race, as far as it goes
  std::uint64_t attempts = ~std::uint64_t{0};  // at the most
  const Limits* limits = nullptr;              // where they are reached, it gives up

  // Race: the goal can be reached; `attempt` has performed how. Adds to `decision`, which is that of earlier searches
  // for this goal, all but the schedule.
  void run(const Budget& budget, Decision& decision);
};

// Points with the events that are none: each goes before the next point of its thread. Then what is left of each of
// `upto`'s threads before it. `values`: what reads return that do not return what was recorded. The first `recorded`
// events of the window are left out, and not among `order`.
finding::Schedule written_out(const Window& window, std::span<const PointNo> order,
                              const HashMap<PointNo, std::uint64_t>& values, std::span<const EventNo> upto,
                              std::uint64_t recorded = 0);

}  // namespace racecast::analysis::predict
