// The choice graph of a challenge (Sinha, Malik, Gupta, FMCAD 2012, phase 2): an order, and choices that are open in
// it. A choice is a clause over edges: one scope of a lock is before the other, or after it; a write is before the
// couple of a read and its writer, or after it. What a choice leaves no way around is an induced edge, and is added at
// once; then more of them may follow (propagation). Where nothing follows, one alternative is tried, and taken back if
// it ends in a cycle (backtracking, last choice first). The search stops at the first acyclic graph in which no choice
// is open; if there is none, no interleaving exists.
//
// It has the interface of the predictor's questions about orders, so that who states the rules of synchronisation
// (search/lemmas.h) need not know who answers. There is no SAT solver behind it: nothing is learned from a cycle. The
// paper enumerates 2^d graphs for d choices; propagation leaves about one to look at (bench/results).
//
// Reachability is incremental: a row of first positions per point that was asked about (smt/order_graph.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/hash.h"
#include "smt/order_graph.h"
#include "smt/solver.h"

namespace racecast::analysis::nondet {

class ChoiceGraph final : public smt::Solver {
 public:
  // `base` must outlive it.
  explicit ChoiceGraph(const smt::BaseOrder& base);

  smt::Literal new_variable() override;
  void prefer(smt::Literal literal) override { preferred_[literal.variable()] = literal; }
  smt::Literal before(smt::Point a, smt::Point b) override;
  void add_clause(std::span<const smt::Literal> clause) override;
  using smt::Solver::add_clause;
  // A conflict is a cycle, or a choice without an alternative.
  smt::Answer solve(std::uint64_t max_conflicts) override;
  bool holds(smt::Literal literal) const override { return value(literal) > 0; }
  std::vector<smt::Edge> edges() const override;
  smt::SolverStats stats() const override { return stats_; }

  // After Unsat: do induced edges alone, without a choice, end in a cycle? (Phase 1 would have shown it.) Takes back
  // all that was tried.
  bool cyclic_without_choice();
  // Choices with more than one alternative left, before anything was tried: the paper counts 2^d graphs for d of them.
  std::uint64_t open_choices() const { return open_choices_; }

 private:
  using Node = smt::OrderGraph::Node;
  struct Atom {  // of a variable that is no atom: from == to
    smt::Point from = 0, to = 0;
    Node from_node = 0, to_node = 0;
    bool is_order() const { return from != to; }
  };
  struct Level {
    std::size_t trail = 0;  // its size before the choice
    smt::Literal tried;     // the alternative that is being tried
  };

  std::int8_t value(smt::Literal literal) const;
  bool assign(smt::Literal literal);
  bool propagate();
  bool look_at(const std::vector<smt::Literal>& clause);
  bool backtrack();
  void take_back(std::size_t trail);
  // The alternative to try of the first open choice; kTrue: no choice is open.
  smt::Literal choose();

  smt::OrderGraph graph_;
  const smt::BaseOrder& base_;
  std::vector<Atom> atoms_;              // by variable
  std::vector<smt::Literal> preferred_;  // likewise
  std::vector<std::int8_t> values_;      // likewise: of those on the trail
  HashMap<std::uint64_t, std::uint32_t> atom_numbers_;
  std::vector<std::vector<smt::Literal>> clauses_;
  std::vector<smt::Literal> trail_;
  std::vector<Level> levels_;
  bool changed_ = false, unsatisfiable_ = false;
  std::uint64_t open_choices_ = 0;
  smt::SolverStats stats_;
};

}  // namespace racecast::analysis::nondet
