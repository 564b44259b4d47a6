// Can these two accesses race? The decision core of `maximal` (docs/semantics.md, sections 2 to 5) and, with a symbolic
// trace, of `value` (docs/value.md), for one window of a trace in memory. Complete: `NoRace` means that no correct
// reordering brings the two next to each other.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/ids.h"
#include "base/limits.h"
#include "finding/schedule.h"
#include "model/symbolic/symbolic_trace.h"
#include "smt/solver.h"
#include "trace/trace.h"

namespace racecast::analysis::predict {

// What settled a pair, cheapest first (docs/maximal.md).
enum class Tier : std::uint8_t {
  Order,    // 1: must-order, or a common lock
  Closure,  // 2: what is forced, without a choice
  Search,   // 3: choices on demand
  Formula,  // 4: all lemmas of the cone at once
};
inline constexpr int kTiers = 4;

enum class Verdict : std::uint8_t { Race, NoRace, Unknown };

struct Decision {
  Verdict verdict = Verdict::Unknown;
  Tier tier = Tier::Order;
  // Race: a correct reordering of the window, after which both are next. First come its first `recorded` events, in
  // their order, then `schedule`.
  std::uint64_t recorded = 0;
  finding::Schedule schedule;
  std::uint64_t cone = 0;       // events in the last attempt
  std::uint64_t lemmas = 0;     // clauses learned from attempts that got stuck
  std::uint64_t attempts = 0;   // linearisations
  std::uint64_t conflicts = 0;  // of the solver
  std::uint64_t steps = 0;      // as Budget counts them
};

// All of it.
finding::Schedule whole_schedule(const Decision& decision);

// Counted in steps, not in seconds, so that the answer is the same on any machine.
struct Budget {
  std::uint64_t steps = 50'000'000;   // events executed in all attempts of a pair, and 50 for each literal learned
  std::uint64_t conflicts = 200'000;  // of the solver
  std::uint64_t search = 400;         // attempts of tier 3, before tier 4 (which is not for relaxed values)
  std::uint64_t least = 4;  // relaxed: attempts with no more than the race needs, before those near to the run
  bool operator==(const Budget&) const = default;
};

// Everything that all pairs of a window share. Thread-safe once built.
class Predictor {
 public:
  // `trace` must be valid and outlive it. Its first `fixed` events are kept in recorded order in every reordering: the
  // state at the start of a window that is not the start of the trace (windows.h).
  // With `symbols`, which must outlive it, values are relaxed.
  explicit Predictor(const trace::Trace& trace, std::uint64_t fixed = 0, const model::SymbolicTrace* symbols = nullptr);
  ~Predictor();
  // Where they are reached, what is not decided stays unknown.
  void limit(const Limits& limits);

  // Are the two not ordered by what must precede what? (Tier 1, order; O(1).)
  bool may_be_concurrent(EventNo a, EventNo b) const;
  // The two accesses must conflict, and neither be among the fixed events.
  // Another solver is for tests and benches.
  Decision decide(EventNo a, EventNo b, const Budget& budget,
                  std::unique_ptr<smt::Solver> (*make_solver)(const smt::BaseOrder&) = smt::make_order_solver) const;

 private:
  struct Prepared;
  std::unique_ptr<Prepared> prepared_;
};

}  // namespace racecast::analysis::predict
