// One attempt to perform the kept points of a window, under a set of extra edges: as near to the recorded order as the
// rules of docs/semantics.md allow. A point that a rule forbids for now waits; the attempt ends when all kept points
// are performed (a schedule), or when every thread waits (stuck: the rules that block say why).
//
// Where the recorded run is the best attempt for a while, the state after that is told from the window instead of run
// through; what holds of a cell or a plain mutex, when it is asked for.
//
// Cost: points performed × (log threads + what waits), and some words for each object that is no plain mutex.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "analysis/window/must_order.h"
#include "analysis/window/window.h"
#include "base/hash.h"
#include "model/symbolic/values.h"
#include "smt/solver.h"

namespace racecast::analysis::predict {

// Why a point cannot be performed now.
enum class Rule : std::uint8_t {
  None,
  Order,        // something that must be before it has not been performed
  Held,         // a lock: `other` is the acquire of the scope in the way
  NotHeld,      // a try that failed: nobody holds the lock
  NoUnit,       // a semaphore at 0
  Unit,         // a try that failed: the semaphore is not at 0
  Round,        // a barrier's round is not complete
  Entered,      // a once-guard: `other` has entered
  NotDone,      // a once-guard is not done
  Freed,        // `other` freed the object
  NotNotified,  // a wake
  Unfaithful,   // a demanded read does not find its value in `cell`
  CasSucceeds,  // a compare-and-swap that failed might succeed
  Unknown,      // missing code would not find the recorded content in `cell`
  Condition,    // relaxed: what its thread computed; `other` is the number of the condition
  History,      // relaxed: an earlier read of its thread is not faithful
  OwnRead,      // relaxed: what the model does not see (a compare-and-swap, missing code) would not find what it found
  Outcome,      // relaxed: it would end otherwise than recorded, and its thread goes on only if it does not
  NotMine,      // relaxed: its thread does not hold what it would give back
};
struct Blocked {
  PointNo point = 0;
  Rule rule = Rule::None;
  PointNo other = 0;
  CellNo cell = 0;
};

// What the search has decided.
struct Proposal {
  std::vector<std::uint32_t> kept;      // per thread, how many points must be performed
  std::vector<std::uint32_t> wanted;    // and how many may be, if nothing is in the way; not fewer
  std::vector<smt::Edge> edges;         // further order (kept points only)
  std::vector<std::uint32_t> faithful;  // per thread: reads at smaller positions are demanded
  HashSet<PointNo> demanded;            // and these
  bool near = false;                    // also with fewer changes of thread, as recorded as long as it goes
  std::array<PointNo, 2> racing{};  // what is next in the end, kStart: nothing. What missing code reaches that is next
                                    // must be right then; relaxed: and what their addresses depend on
};

class Attempt {
 public:
  Attempt(const Window& window, const MustOrder& must);

  // Performs the proposal. True: all of it. `stay`: rather go on with one thread than near to the recorded order.
  bool run(const Proposal& proposal, bool stay);

  // First come the points up to this one, as recorded (the fixed ones are among them), then these, as performed.
  PointNo as_recorded() const { return as_recorded_; }
  std::span<const PointNo> order() const { return order_; }
  // All of them.
  std::vector<PointNo> whole_order() const;
  // After a run that got stuck: for every thread that waits for a rule, which.
  std::span<const Blocked> blocked() const { return blocked_; }

  // The state after the run, for who explains it.
  bool performed(PointNo point) const { return window_.position_of[point] < done_[window_.thread_of[point]]; }
  PointNo writer(CellNo cell) const { return content(cell).writer; }
  bool unknown(CellNo cell) const { return content(cell).unknown; }
  // The read with which the thread began to deviate; kStart: none. (Relaxed: also its fork, with other arguments.)
  PointNo deviated(std::uint32_t thread) const { return deviated_[thread]; }
  // Arrivals at a barrier, in the order performed.
  std::span<const PointNo> arrivals(std::uint32_t object) const { return arrivals_[object]; }
  // Relaxed: did a performed operation with a free outcome succeed; would it, if it were performed now?
  bool succeeds(PointNo point) const;
  // Relaxed: who keeps the operation from taking its lock now (the acquire of that hold); nullopt: nobody.
  std::optional<PointNo> holder(PointNo point) const;
  // Of two operations on a lock with free outcomes: was `a` performed before `b` (which need not have been yet)?
  bool performed_before(PointNo a, PointNo b) const;
  // What a performed read returned, where it is not the recorded value and is known.
  const HashMap<PointNo, std::uint64_t>& changed_values() const { return changed_values_; }
  std::uint64_t steps() const { return steps_; }  // of all runs

  // Relaxed: whom the piece of a performed read read from (`k`: of its accesses); what was computed. Whether the write
  // of a performed point stored an unknown value because its thread had deviated (relaxed: if its history says what).
  PointNo read_from(PointNo read, std::uint32_t k) const {
    return read <= as_recorded_ ? window_.accesses(read)[k].recorded : read_from_[window_.first_access(read) + k];
  }
  model::SymbolicValues& values() const { return *values_; }
  bool poisoned(PointNo write) const {
    const PointNo read = deviated_[window_.thread_of[write]];
    return read != kStart && read <= write;
  }

 private:
  struct Content {
    PointNo writer = kStart;
    bool unknown = false;
    bool changed = false;     // relaxed: to changed_contents_
    bool listed = false;      // in altered_cells_
    PointNo latest = kStart;  // of all writes so far, the one that is last in the trace
    std::uint32_t run = 0;    // the run that it is of
  };
  struct Lock {
    std::uint32_t owner = kNone;  // thread: a mutex, or a writer
    std::uint32_t depth = 0;
    PointNo acquire = 0;
    std::vector<std::pair<std::uint32_t, PointNo>> readers;  // (thread, its point), one entry per hold
    std::uint32_t run = 0;                                   // the run that it is of
  };
  struct Condition {
    std::vector<std::uint64_t> notifies;  // times of those that woke nobody yet
    std::uint64_t all = 0;                // time of the last notifyall
  };
  struct ReadResult {
    bool faithful = true;
    CellNo cell = 0;                     // the first that is not
    std::optional<std::uint64_t> value;  // if all is known
  };

  // The parts of run(). How far the proposal lets the recorded run go:
  PointNo first_that_differs(const Proposal& proposal, bool stay) const;
  // performs as much as goes, and returns the threads that wait;
  std::vector<std::uint32_t> perform_all(const Proposal& proposal, bool stay);
  // until the thread waits (false), is done, or another is to go on.
  struct Ready;
  bool perform_stretch(std::uint32_t thread, const Proposal& proposal, bool stay, bool others_wait, Ready& ready,
                       bool& moved);
  // Is nothing of the proposal left? If not, fills in blocked_.
  bool is_done(const Proposal& proposal, std::span<const std::uint32_t> waiting);
  void reset(PointNo as_recorded);
  Content& content(CellNo cell) const;
  Lock& lock(std::uint32_t object) const;
  bool is_freed(std::uint32_t life) const {
    return freed_in_[life] == run_ || (window_.free_of[life] != kNone && window_.free_of[life] <= as_recorded_);
  }
  bool ready(PointNo point);
  Blocked check(PointNo point) const;
  Blocked check_lock(PointNo point, const trace::Event& e) const;
  Blocked check_tried(PointNo point, const trace::Event& e) const;
  Blocked check_outcome(PointNo point, const FreeOutcome& free) const;
  bool must_end_as_recorded(PointNo point, const FreeOutcome& free) const;
  bool holds(std::uint32_t thread, std::uint32_t object) const;
  Blocked check_values(PointNo point, const trace::Event& e) const;
  Blocked check_reach(PointNo point) const;
  Blocked check_conditions(PointNo point, bool racing) const;
  ReadResult read(PointNo point) const;
  void perform(PointNo point);
  void perform_write(PointNo point, const trace::Event& e);
  void leave_out_write(PointNo point);
  // Would missing code find another content than recorded? What it reaches is tied to it, so who has written is the
  // same; who was last need not be.
  bool altered(CellNo cell) const;
  void perform_sync(PointNo point, const trace::Event& e, std::uint32_t thread, bool failed);
  bool demanded(PointNo read) const;
  bool can_wake(PointNo point) const;

  const Window& window_;
  const MustOrder& must_;
  const Proposal* proposal_ = nullptr;
  HashMap<PointNo, std::vector<PointNo>> into_;  // edges of the proposal, by target
  std::vector<std::uint32_t> done_, done_in_lane_, verified_, depth_at_wait_;
  std::vector<std::uint64_t> slept_at_;
  std::vector<PointNo> deviated_;
  PointNo as_recorded_ = 0;
  std::uint32_t run_ = 0;
  mutable std::vector<Content> contents_;  // of this run only those that were asked for
  std::vector<CellNo> altered_cells_;  // that do not hold what the last of their writes stored, or did not at some time
  mutable std::vector<Lock> locks_;    // likewise, of plain mutexes
  std::vector<Condition> conditions_;
  std::vector<std::int64_t> counts_;
  std::vector<std::vector<PointNo>> arrivals_;
  std::vector<PointNo> entered_;
  std::vector<char> once_done_;
  std::vector<std::uint32_t> freed_in_;  // by life: the last run that freed it
  std::vector<PointNo> order_;
  std::vector<Blocked> blocked_;
  HashMap<PointNo, std::uint64_t> changed_values_;
  std::vector<std::uint64_t> changed_contents_;  // relaxed, by cell
  std::vector<PointNo> read_from_;               // relaxed, by access
  HashSet<PointNo> other_outcomes_;              // relaxed: performed, and not as recorded
  HashMap<PointNo, std::uint64_t> times_;        // relaxed: of operations on locks with free outcomes
  std::unique_ptr<model::SymbolicValues> values_;
  std::uint64_t time_ = 0, steps_ = 0;
};

}  // namespace racecast::analysis::predict
