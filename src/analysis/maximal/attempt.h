// One attempt to perform the kept points of a window, under a set of extra edges: as near to the recorded order as the
// rules of docs/semantics.md allow. A point that a rule forbids for now waits; the attempt ends when all kept points
// are performed (a schedule), or when every thread waits (stuck: the rules that block say why).
//
// Cost: kept points × (log threads + what waits), and a word for each cell, object and life to start from.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "analysis/maximal/must_order.h"
#include "analysis/maximal/window.h"
#include "base/hash.h"
#include "model/symbol_values.h"
#include "smt/solver.h"

namespace racecast::analysis::maximal {

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
  OwnRead,      // relaxed: a compare-and-swap that the model does not see would not find what it found
};
struct Blocked {
  PointNo point = 0;
  Rule rule = Rule::None;
  PointNo other = 0;
  CellNo cell = 0;
};

// What the search has decided.
struct Plan {
  std::vector<std::uint32_t> kept;      // per thread, how many points
  std::vector<smt::Edge> edges;         // further order (kept points only)
  std::vector<std::uint32_t> faithful;  // per thread: reads at smaller positions are demanded
  HashSet<PointNo> demanded;            // and these
  std::array<PointNo, 2> racing{};      // relaxed: what their addresses depend on must be right in the end
};

class Attempt {
 public:
  Attempt(const Window& window, const MustOrder& must);

  // For many plans of one window that begin as recorded: from now on, states of the recorded run are kept, so that not
  // every run begins at its start. Not for a relaxed window.
  void keep_recorded_states();

  // Performs the plan. True: all of it. `stay`: rather go on with one thread than near to the recorded order.
  bool run(const Plan& plan, bool stay);

  // In the order performed. (Fixed points are among them.)
  std::span<const PointNo> order() const { return order_; }
  // After a run that got stuck: for every thread that waits for a rule, which.
  std::span<const Blocked> blocked() const { return blocked_; }

  // The state after the run, for who explains it.
  bool performed(PointNo point) const { return window_.position_of[point] < done_[window_.thread_of[point]]; }
  PointNo writer(CellNo cell) const { return contents_[cell].writer; }
  bool unknown(CellNo cell) const { return contents_[cell].unknown; }
  // The read with which the thread began to deviate; kStart: none. (Relaxed: also its fork, with other arguments.)
  PointNo deviated(std::uint32_t thread) const { return deviated_[thread]; }
  // Arrivals at a barrier, in the order performed.
  std::span<const PointNo> arrivals(std::uint32_t object) const { return arrivals_[object]; }
  // What a performed read returned, where it is not the recorded value and is known.
  const HashMap<PointNo, std::uint64_t>& changed_values() const { return changed_values_; }
  std::uint64_t steps() const { return steps_; }  // of all runs

  // Relaxed: whom the piece of a performed read read from (`access`: its number, Window::first_access); what was
  // computed; whether the write of a performed point stored an unknown value because its thread had deviated.
  PointNo read_from(std::uint32_t access) const { return read_from_[access]; }
  model::SymbolValues& values() const { return *values_; }
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
  };
  struct Lock {
    std::uint32_t owner = kNone;  // thread: a mutex, or a writer
    std::uint32_t depth = 0;
    PointNo acquire = 0;
    std::vector<std::pair<std::uint32_t, PointNo>> readers;  // (thread, its point), one entry per hold
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

  // All that a run changes, but for what follows from where it is.
  auto state() {
    return std::tie(done_, depth_at_wait_, slept_at_, deviated_, contents_, altered_cells_, locks_, conditions_,
                    counts_, arrivals_, entered_, once_done_, freed_);
  }
  using State = std::tuple<std::vector<std::uint32_t>, std::vector<std::uint32_t>, std::vector<std::uint64_t>,
                           std::vector<PointNo>, std::vector<Content>, std::vector<CellNo>, std::vector<Lock>,
                           std::vector<Condition>, std::vector<std::int64_t>, std::vector<std::vector<PointNo>>,
                           std::vector<PointNo>, std::vector<char>, std::vector<char>>;

  void reset();
  void run_as_recorded(PointNo until);
  bool ready(PointNo point);
  Blocked check(PointNo point) const;
  Blocked check_lock(PointNo point, const trace::Event& e) const;
  Blocked check_values(PointNo point, const trace::Event& e) const;
  Blocked check_conditions(PointNo point, bool racing) const;
  ReadResult read(PointNo point) const;
  void perform(PointNo point);
  void perform_write(PointNo point, const trace::Event& e);
  // Would missing code find another content than recorded? What it reaches is tied to it, so who has written is the
  // same; who was last need not be.
  bool altered(CellNo cell) const;
  void perform_sync(PointNo point, const trace::Event& e, std::uint32_t thread);
  bool demanded(PointNo read) const;
  bool can_wake(PointNo point) const;

  const Window& window_;
  const MustOrder& must_;
  const Plan* plan_ = nullptr;
  HashMap<PointNo, std::vector<PointNo>> into_;  // edges of the plan, by target
  std::vector<std::uint32_t> done_, verified_, depth_at_wait_;
  std::vector<std::uint64_t> slept_at_;
  std::vector<PointNo> deviated_;
  std::vector<Content> contents_;
  std::vector<CellNo> altered_cells_;  // that do not hold what the last of their writes stored, or did not at some time
  std::vector<Lock> locks_;
  std::vector<Condition> conditions_;
  std::vector<std::int64_t> counts_;
  std::vector<std::vector<PointNo>> arrivals_;
  std::vector<PointNo> entered_;
  std::vector<char> once_done_, freed_;
  std::vector<PointNo> order_;
  std::vector<Blocked> blocked_;
  HashMap<PointNo, std::uint64_t> changed_values_;
  std::vector<std::uint64_t> changed_contents_;  // relaxed, by cell
  std::vector<PointNo> read_from_;               // relaxed, by access
  std::unique_ptr<model::SymbolValues> values_;
  std::uint64_t time_ = 0, steps_ = 0;
  PointNo spacing_ = 0;          // 0: no states are kept
  std::vector<State> recorded_;  // before every spacing_-th point
};

}  // namespace racecast::analysis::maximal
