// The product's solver: conflict-driven clause learning over clauses whose atoms are edges of an order. The class; what
// it does is in order_solver.cpp (clauses in, the search), order_propagate.cpp (what follows) and order_learn.cpp
// (conflicts).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/hash.h"
#include "smt/activity_heap.h"
#include "smt/clause_store.h"
#include "smt/order_graph.h"
#include "smt/solver.h"

namespace racecast::smt {

class OrderSolver final : public Solver {
 public:
  explicit OrderSolver(const BaseOrder& base);

  Literal new_variable() override;
  void prefer(Literal literal) override { variables_[literal.variable()].phase = !literal.negated(); }
  Literal before(Point a, Point b) override;
  void add_clause(std::span<const Literal> clause) override;
  Answer solve(std::uint64_t max_conflicts) override;
  bool holds(Literal literal) const override { return value(literal) > 0; }
  std::vector<Edge> edges() const override;
  SolverStats stats() const override { return stats_; }

 private:
  using Variable = std::uint32_t;
  using Node = OrderGraph::Node;
  // Why a variable has its value, if not by a clause: it was decided, or follows from the order.
  static constexpr ClauseRef kDecided = kNoClause, kByOrder = kNoClause - 1;
  static constexpr Node kNoNode = ~Node{0};

  struct VariableState {
    Node from = kNoNode, to = kNoNode;  // of an order atom: the edge that it asserts if true
    Point first = 0, second = 0;        // and its points
    ClauseRef reason = kDecided;
    std::uint32_t level = 0, place = 0;  // of the decision that it follows from; on the trail
    bool phase = false;                  // its last value, or at first, the one to try
    bool seen = false;                   // of analyse()
  };
  struct Watch {
    ClauseRef clause;
    Literal other;  // some literal of it; if it is true the clause need not be looked at
  };
  struct AtomOf {
    Node other;
    Literal before;  // this node is before the other
  };

  // The trail: all true literals in the order in which they became true.
  std::int8_t value(Literal l) const { return values_[l.code]; }  // 1 true, 0 open, -1 false
  std::uint32_t level() const { return static_cast<std::uint32_t>(level_start_.size()); }
  std::uint32_t level_of(Literal l) const { return variables_[l.variable()].level; }
  void open_level();
  void assign(Literal l, ClauseRef reason);
  void backtrack(std::uint32_t level);

  // order_propagate.cpp. False: conflict_ holds literals that are all false, though one must be true.
  bool propagate();
  bool propagate_clauses();
  bool propagate_order();
  bool follows_from_order(Literal l) const;
  void attach(ClauseRef ref);

  // order_learn.cpp. learn() takes conflict_, learns a clause from it and goes back to where it forces something;
  // false: nothing satisfies all clauses.
  bool learn();
  void analyse();
  std::span<const Literal> reason_of(Literal l);
  bool redundant(Literal l, int depth);
  std::uint32_t rank(std::span<const Literal> literals);
  void drop_learned();

  // order_solver.cpp
  bool insert(std::vector<Literal>& clause);
  void force(ClauseRef ref);
  void force_late();
  bool decide();
  ClauseRef unsatisfied_clause(Variable v);
  Literal choose(Variable v, ClauseRef clause);
  void restart();

  const BaseOrder& base_;
  OrderGraph graph_;
  std::vector<VariableState> variables_;
  std::vector<std::int8_t> values_;                // by literal
  std::vector<std::vector<Watch>> watches_;        // by literal: the clauses to look at when it becomes false
  std::vector<std::vector<ClauseRef>> occurs_;     // by literal: the given clauses
  std::vector<std::vector<AtomOf>> atoms_;         // by node
  HashMap<std::uint64_t, Variable> atom_numbers_;  // by smaller and greater point
  ClauseStore clauses_;
  std::vector<ClauseRef> given_, learned_;
  std::vector<Literal> trail_;
  std::vector<std::uint32_t> level_start_;        // by level - 1: size of the trail when it was opened
  std::size_t clause_head_ = 0, order_head_ = 0;  // how far the trail was propagated
  ActivityHeap heap_;
  // Variables that occur in no unsatisfied clause, by the level at which that was seen; they are not decided.
  std::vector<Variable> idle_;
  std::vector<std::size_t> idle_start_;

  // Clauses of which one literal is true because all others are false, but at a higher level than theirs: they were
  // added when that level was open. If it closes they force the literal anew.
  std::vector<ClauseRef> late_;
  std::vector<Literal> pending_;            // clauses added since the last solve()
  std::vector<std::size_t> pending_start_;  // where each begins
  bool unsatisfiable_ = false;
  std::vector<Literal> conflict_, learned_now_, reason_;
  std::vector<Variable> seen_;
  std::vector<std::uint64_t> level_mark_;
  std::uint64_t mark_ = 0;
  std::uint64_t next_restart_ = 0, restarts_ = 0, next_drop_ = 0, drops_ = 0;
  SolverStats stats_;
};

}  // namespace racecast::smt
