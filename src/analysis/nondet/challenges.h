// All challenges of a window: for every couple of a read and its writer, which of the other writes to that cell can
// come between them, or before the read without the writer. Not one by one: what plain order refutes is counted in
// intervals, and what one interleaving shows is shown for every write in it.
//
// Three facts make it fast (docs/nondet.md).
// - If c is before r without w (Form::Without), so is every write that c's thread made before c: of each thread, the
//   feasible ones are its first so many, and how many is found by doubling and bisection.
// - An interleaving that has w before r shows Form::Between for every write between the two.
// - A scope around r is open when r is next, so every other scope of that lock which has begun must have ended. If that
//   needs r, then no later write of that thread is before r either.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analysis/nondet/decide.h"
#include "analysis/nondet/nearby.h"
#include "analysis/nondet/regions.h"
#include "analysis/window/must_order.h"
#include "analysis/window/window.h"

namespace racecast::analysis::nondet {

// How many challenges there are, and what settled them: the columns of the paper's Table A1.
struct Tally {
  std::uint64_t couples = 0, possible = 0;
  std::uint64_t ordered = 0;  // infeasible by what must precede what
  std::uint64_t cycles = 0;   // infeasible without a choice; with `ordered`
  std::uint64_t feasible = 0, infeasible = 0, unknown = 0;
  std::uint64_t with_choices = 0;          // for which choices were made
  std::uint64_t infeasible_by_choice = 0;  // of these: every choice ends in a cycle
  std::uint64_t graphs = 0;                // looked at, for those with choices
  double possible_graphs = 0;              // that these have: 2^choices
  std::uint64_t nearby = 0, searched = 0;  // interleavings found at once; searches
  std::uint64_t handed_on = 0;             // searches that the order solver went on with
  std::uint64_t not_looked_at = 0;         // beyond the limits

  void add(const Tally& other);
};

// What is enumerated at the most. What is beyond is unknown.
struct Limits {
  std::uint64_t tries_of_couple = 100'000;    // challengers that are looked at one by one
  std::uint64_t searches_of_couple = 10'000;  // of these, by a search
  std::uint64_t steps = 20'000'000'000;       // of all searches of the window together
  predict::Budget budget{.steps = 20'000'000, .conflicts = 100'000};
};

enum class Outcome : std::uint8_t { Infeasible, Feasible, Unknown };

// One challenger of a couple, for who wants to hear of each.
struct Decided {
  PointNo challenger = kStart;  // Couple::floor: what was there before
  Outcome outcome = Outcome::Infeasible;
  Form form = Form::Without;  // Feasible: which
};

// Of which challenges who asks wants to hear.
enum class Tell : std::uint8_t {
  Nothing,
  NotOverwritten,  // those whose challenger is not followed by a write of its thread that must come before r, too
  All,
};

class Challenges {
 public:
  // Both must outlive it; the window is Window::by_writer.
  Challenges(const predict::Window& window, const predict::MustOrder& must, const Limits& limits);

  // Every couple: reads in the order of their points (from `first` on), then the end of the run if `at_end`.
  std::vector<Couple> couples(PointNo first, bool at_end) const;

  // Decides all challenges of a couple, adds them to the tally, and calls `each` as `tell` says, by thread and in
  // order. Is one feasible?
  bool decide(const Couple& couple, Tally& tally, Tell tell, const std::function<void(const Decided&)>& each);
  // Of each thread, the last write to the couple's cell that must come before its read.
  std::vector<PointNo> needed_writes(const Couple& couple) const;

  // Whether r can read from exactly this write; if so, `order` is filled in: the whole interleaving, as points.
  Outcome reads_from(const Couple& couple, PointNo challenger, std::vector<PointNo>& order);

  const Regions& regions() const { return regions_; }

 private:
  // The writes of one thread to a cell, without w and r.
  struct ThreadWrites {
    std::uint32_t thread = 0;
    std::vector<PointNo> points;
  };
  // What became of them.
  struct State {
    const ThreadWrites* writes = nullptr;
    std::size_t without_limit = 0;  // from this one on, Without is refuted by order
    std::size_t between_from = 0;   // before this one, Between is
    std::size_t after_read = 0;     // from this one on, both are
    std::size_t without = 0;        // the first so many are feasible
    std::vector<Outcome> between;   // of those from max(between_from, without) to after_read
    std::size_t between_begin = 0;
  };

  void order_limits(const Couple& couple, State& state) const;
  void decide_without(const Couple& couple, std::vector<State>& states, Tally& tally);
  void extend_without(const Couple& couple, State& state, std::vector<State>& states, Tally& tally);
  void decide_between(const Couple& couple, State& state, std::vector<State>& states, Tally& tally);
  void lock_limit(const Couple& couple, State& state) const;
  bool locks_refute(PointNo read, PointNo challenger) const;
  void mark_shown(const Couple& couple, Form form, std::vector<State>& states) const;
  Outcome settle(const Question& question, Tally& tally);
  void count(const Couple& couple, const std::vector<State>& states, Outcome floor, Tally& tally, Tell tell,
             const std::function<void(const Decided&)>& each) const;
  std::uint32_t needed_of(PointNo read, std::uint32_t thread) const;
  std::size_t index_of(const ThreadWrites& writes, std::uint32_t position) const;

  const predict::Window& window_;
  const predict::MustOrder& must_;
  const Limits limits_;
  const Regions regions_;
  Nearby nearby_;
  Decider decider_;
  Shown shown_;                                    // of the last settle() that was feasible
  std::vector<std::vector<ThreadWrites>> writes_;  // by cell
  std::uint64_t tries_ = 0, searches_ = 0;         // of the couple at hand
  std::uint64_t steps_ = 0;                        // of all
};

}  // namespace racecast::analysis::nondet
