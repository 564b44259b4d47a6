// What is learned from an attempt that got stuck: clauses that hold in every correct reordering that brings the two
// accesses next to each other, and that this attempt breaks. Written over "this point is before that one". Point 0 is
// the race: what is before it is kept. All orders meant are total; what is not kept comes after the race, in recorded
// order.
//
// Kinds of free variables: a read is faithful; of a cell, this write is the last one before that point (whatever it
// stored); this write stores what was recorded; a wake has this notify, a try that failed is inside this scope; an
// operation with a free outcome succeeds. Lemmas are made on demand, so a hard pair takes tens of them, where the whole
// formula of its cone has a hundred thousand.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "analysis/search/attempt.h"
#include "analysis/search/nearest_writers.h"
#include "smt/solver.h"

namespace racecast::analysis::predict {

inline constexpr PointNo kRace = 0;

// What the lemmas of one pair after the other use. Relaxed only.
struct LemmaScratch {
  std::unique_ptr<model::SymbolicValues> trial;
  HashMap<model::NodeNo, std::vector<model::NodeNo>> leaves;  // the reads and histories that a node is computed from
  HashMap<PointNo, bool> always_recorded;                     // by write: it stores what was recorded, whatever happens
};

class Lemmas {
 public:
  // All must outlive it; `scratch` is of this window, and used by no other at the same time.
  Lemmas(const Window& window, const MustOrder& must, smt::Solver& solver, PointNo a, PointNo b, LemmaScratch& scratch)
      : window_(window), must_(must), solver_(solver), racing_{a, b}, scratch_(scratch) {}

  // After a stuck attempt. False: nothing was learned that the solver did not know (which would be a bug).
  bool learn(const Attempt& attempt, const Proposal& proposal);
  // Tier 4: what can be said of the kept points without waiting for an attempt that breaks it: scopes of one lock, what
  // each demanded read reads from. At most kMaxClauses.
  void learn_cone(const Proposal& proposal);
  // Of two scopes of one lock that exclude each other, one ends before the other begins, as far as both are kept.
  void exclude(const Scope& one, const Scope& other);
  // What the solver's model demands of reads, added to a proposal whose `kept` is filled in.
  void demand(Proposal& proposal);
  std::array<PointNo, 2> racing() const { return racing_; }
  std::uint64_t count() const { return count_; }
  // What they cost: literals, of which each is as much work as some steps of an attempt.
  std::uint64_t steps() const { return kStepsOfLiteral * literals_; }

 private:
  using Literal = smt::Literal;
  using Clause = std::vector<Literal>;
  struct LastWrite {
    PointNo reader = 0;
    CellNo cell = 0;
    PointNo writer = kStart;
    Literal literal;
  };

  static constexpr std::uint64_t kMaxClauses = 200'000;

  void explain(const Attempt& attempt, const Proposal& proposal, const Blocked& blocked);
  void add_sources(PointNo read, const CellAccess& access);
  void add_between(PointNo reader, CellNo cell, PointNo section, PointNo writer, PointNo intruder);
  void explain_held(const Blocked& blocked);
  void explain_not_held(PointNo point);
  void explain_semaphore(const Attempt& attempt, const Blocked& blocked);
  void explain_round(const Attempt& attempt, const Blocked& blocked);
  void explain_wake(const Attempt& attempt, PointNo point);
  void explain_read(const Attempt& attempt, const Proposal& proposal, const Blocked& blocked);
  void explain_cas(const Attempt& attempt, PointNo point);
  void explain_unknown(const Attempt& attempt, const Blocked& blocked);

  // State outside of memory (lemmas_state.cpp). `head` holds unless it must be as recorded where `reader` comes to it;
  // `by` is the point that demands it.
  void explain_state(const Attempt& attempt, const Clause& head, PointNo by, PointNo reader, CellNo cell);
  void add_appends(const Clause& head, PointNo by, PointNo reader, CellNo cell);
  void add_order_of_appends(const Attempt& attempt, const Clause& head, PointNo reader, CellNo cell);
  void demand_appends(PointNo read, Literal is_faithful, Proposal& proposal);
  bool is_on_state(PointNo point) const;
  // Why it is not as recorded: `first` was recorded before `second`, and is not before it; or a read deviates. None of
  // these (kNone): it never is.
  struct StateCause {
    PointNo first = kNone, second = kNone, deviating = kNone;
  };
  static StateCause why_not_as_recorded(const Window& window, const Attempt& attempt, PointNo reader, CellNo cell);

  // Relaxed (lemmas_values.cpp)
  class Reasons;
  struct Intruder {
    PointNo reader = 0;
    CellNo cell = 0;
    PointNo section = kStart, writer = kStart, intruder = kStart;
  };
  void explain_condition(const Attempt& attempt, const Blocked& blocked);
  void explain_unfaithful(const Attempt& attempt, PointNo point, PointNo read);
  void explain_content(const Attempt& attempt, const Blocked& blocked);
  void explain_condition(const Attempt& attempt, PointNo point, const model::Condition& condition);
  void explain_by_value(PointNo point, const model::Condition& condition, EventNo read);
  void add_reasons(const Attempt& attempt, PointNo point, const Reasons& reasons);
  void add_reasons(const Attempt& attempt, Clause clause, const Reasons& reasons);
  void add_broken(const Attempt& attempt, Clause clause, const Reasons& reasons);
  Literal stores_recorded(PointNo write);
  // Which writes the solver knows that a reader may find in a cell. The others it knows together, as `rest`: "one that
  // is not listed". They are listed a few at a time, when the search has chosen the rest.
  struct Demanded {  // if `point` is kept
    PointNo point = 0;
    const model::Condition* condition = nullptr;  // on this read alone; null: the read is faithful
    HashMap<std::uint64_t, bool> satisfies;       // by value
  };
  struct Choice {
    NearestWriters writers;
    std::optional<PointNo> next;  // the first that is not listed
    std::vector<PointNo> listed;
    Literal rest;  // kFalse: all are listed
    std::vector<Demanded> demands;
    bool is_free() const { return listed.size() > 1 || next; }
  };
  Choice& choice(PointNo reader, CellNo cell, PointNo section);
  void list_more(PointNo reader, CellNo cell, Choice& choice, std::optional<PointNo> wanted);
  void add_demand(PointNo reader, const CellAccess& access, PointNo point, const model::Condition* condition);
  void add_demanded(PointNo reader, const CellAccess& access, Demanded& demand, std::span<const PointNo> writers,
                    Literal without, Literal rest);
  bool meets(PointNo reader, const CellAccess& access, Demanded& demand, PointNo writer);
  bool satisfies(Demanded& demand, PointNo reader, std::uint64_t value);
  // Relaxed (lemmas_outcomes.cpp)
  // "It succeeds": of one with a free outcome a variable, else what was recorded.
  Literal success(PointNo point);
  // "It ends otherwise than in the attempt". Why it ended so will be learned, too, if the solver thinks that it did
  // not.
  Literal other_outcome(const Attempt& attempt, PointNo point);
  void explain_outcome(const Attempt& attempt, PointNo point);
  void explain_cas_outcome(const Attempt& attempt, PointNo point);
  void explain_taken(const Attempt& attempt, PointNo point);
  void explain_refused(const Attempt& attempt, PointNo point);
  void explain_not_mine(const Attempt& attempt, PointNo point);
  std::uint32_t lock_of(PointNo point) const {
    return window_.mutex_of[point] != kNone ? window_.mutex_of[point] : window_.object_of[point];
  }
  bool is_tried(PointNo point) const { return lock_of(point) != kNone && window_.objects[lock_of(point)].tried; }
  bool is_racing(PointNo point) const { return point == racing_[0] || point == racing_[1]; }

  void add_cause(const Proposal& proposal, PointNo read);
  // If the model says that another write is the last one before `reader`: what is in between.
  void add_intruder(const Attempt& attempt, PointNo reader, CellNo cell, PointNo section);
  void add_other_writers(Clause& clause, const Attempt& attempt, PointNo reader, CellNo cell, PointNo section);

  void add(const Clause& clause);
  Literal before(PointNo a, PointNo b) { return solver_.before(a, b); }
  Literal not_kept(PointNo point) { return solver_.before(kRace, point); }
  Literal faithful(PointNo read);
  Literal last_write(PointNo reader, CellNo cell, PointNo writer);
  std::uint32_t scope_around(std::uint32_t object, PointNo point) const;

  const Window& window_;
  const MustOrder& must_;
  smt::Solver& solver_;
  const std::array<PointNo, 2> racing_;
  static constexpr std::uint64_t kStepsOfLiteral = 50;
  std::uint64_t count_ = 0, literals_ = 0;
  bool learned_ = false;
  std::map<PointNo, Literal> faithful_;
  std::map<std::tuple<PointNo, CellNo, PointNo>, Literal> last_writes_;
  std::map<std::pair<PointNo, PointNo>, Literal> notified_by_;
  std::map<std::pair<std::uint32_t, PointNo>, Literal> inside_;
  // Of the last model: writes that faithful reads read from, with the literals that say so.
  struct Demand {
    std::uint32_t thread = 0, until = 0;
    Literal reader_faithful, read_from;
  };
  std::vector<Demand> demands_;
  std::map<std::pair<PointNo, CellNo>, Choice> choices_;
  std::map<PointNo, Literal> stores_recorded_;
  HashSet<PointNo> explained_;  // writes of which the solver knows all that there is to know
  std::vector<Intruder> intruders_;
  std::map<PointNo, Literal> successes_;
  std::vector<PointNo> open_outcomes_;                               // to be explained
  HashSet<PointNo> seen_outcomes_;                                   // since the last attempt
  std::set<std::tuple<PointNo, CellNo, PointNo, PointNo>> between_;  // reader, cell, writer, intruder: was added
  std::set<std::tuple<PointNo, PointNo, CellNo>> appends_;           // by, reader, cell: add_appends() was called
  LemmaScratch& scratch_;
};

}  // namespace racecast::analysis::predict
