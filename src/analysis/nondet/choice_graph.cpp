#include "analysis/nondet/choice_graph.h"

#include <algorithm>
#include <utility>

namespace racecast::analysis::nondet {

using smt::Answer;
using smt::kFalse;
using smt::kTrue;
using smt::Literal;
using smt::Point;

ChoiceGraph::ChoiceGraph(const smt::BaseOrder& base)
    : graph_(base), base_(base), atoms_(1), preferred_(1, kTrue), values_(1, 1) {}

Literal ChoiceGraph::new_variable() {
  atoms_.emplace_back();
  values_.push_back(0);
  const Literal positive{static_cast<std::uint32_t>(2 * (atoms_.size() - 1))};
  preferred_.push_back(~positive);
  return positive;
}

Literal ChoiceGraph::before(Point a, Point b) {
  if (base_.before(a, b)) return kTrue;
  if (base_.before(b, a)) return kFalse;
  const auto [low, high] = std::minmax(a, b);
  const auto [it, fresh] = atom_numbers_.try_emplace((std::uint64_t{low} << 32) | high, 0);
  if (fresh) {
    it.value() = new_variable().variable();
    atoms_.back() = {low, high, graph_.node(low), graph_.node(high)};
    // Points are numbered in recorded order, so the nearest thing to the recorded run is: as they are. The goal (point
    // 0) is last: rather less is kept than more.
    preferred_.back() = Literal{2 * it->second};
  }
  const Literal in_order{2 * it->second};
  return a == low ? in_order : ~in_order;
}

void ChoiceGraph::add_clause(std::span<const Literal> clause) {
  clauses_.emplace_back(clause.begin(), clause.end());
}

std::int8_t ChoiceGraph::value(Literal literal) const {
  const std::uint32_t v = literal.variable();
  std::int8_t now = values_[v];
  if (const Atom& atom = atoms_[v]; now == 0 && atom.is_order()) {
    if (graph_.reaches(atom.from_node, atom.to_node)) now = 1;
    if (graph_.reaches(atom.to_node, atom.from_node)) now = -1;
  }
  return literal.negated() ? static_cast<std::int8_t>(-now) : now;
}

// False: a cycle.
bool ChoiceGraph::assign(Literal literal) {
  const std::uint32_t v = literal.variable();
  const std::int8_t now = value(literal);
  if (now != 0) return now > 0;
  values_[v] = literal.negated() ? -1 : 1;
  trail_.push_back(literal);
  changed_ = true;
  const Atom& atom = atoms_[v];
  if (!atom.is_order()) return true;
  const auto [from, to] =
      literal.negated() ? std::pair(atom.to_node, atom.from_node) : std::pair(atom.from_node, atom.to_node);
  graph_.add_edge(from, to, static_cast<std::uint32_t>(trail_.size()));
  return true;
}

// False: every alternative leads to a cycle.
bool ChoiceGraph::look_at(const std::vector<Literal>& clause) {
  Literal open = kFalse;
  for (const Literal literal : clause) {
    const std::int8_t now = value(literal);
    if (now > 0 || (now == 0 && open != kFalse && open != literal)) return true;
    if (now == 0) open = literal;
  }
  if (open == kFalse) return false;
  ++stats_.propagations;
  return assign(open);
}

bool ChoiceGraph::propagate() {
  do {
    changed_ = false;
    for (const std::vector<Literal>& clause : clauses_)
      if (!look_at(clause)) return false;
  } while (changed_);
  return true;
}

// The last choice that has another alternative: what was tried there does not hold. False: there is none.
bool ChoiceGraph::backtrack() {
  ++stats_.conflicts;
  while (!levels_.empty()) {
    const Level level = levels_.back();
    levels_.pop_back();
    take_back(level.trail);
    if (assign(~level.tried)) return true;
  }
  return false;
}

void ChoiceGraph::take_back(std::size_t trail) {
  graph_.take_back(static_cast<std::uint32_t>(trail + 1));
  for (; trail_.size() > trail; trail_.pop_back()) values_[trail_.back().variable()] = 0;
}

bool ChoiceGraph::cyclic_without_choice() {
  levels_.clear();
  take_back(0);
  return !propagate();
}

Literal ChoiceGraph::choose() {
  Literal chosen = kTrue;
  std::uint64_t open_choices = 0;
  for (const std::vector<Literal>& clause : clauses_) {
    Literal first = kFalse;
    bool satisfied = false;
    for (const Literal literal : clause) {
      const std::int8_t now = value(literal);
      satisfied = satisfied || now > 0;
      if (now == 0 && (first == kFalse || preferred_[literal.variable()] == literal)) first = literal;
      if (satisfied) break;
    }
    if (satisfied) continue;
    ++open_choices;
    if (chosen == kTrue) chosen = first;
    if (!levels_.empty()) break;
  }
  if (levels_.empty()) open_choices_ = std::max(open_choices_, open_choices);
  return chosen;
}

Answer ChoiceGraph::solve(std::uint64_t max_conflicts) {
  const std::uint64_t limit = stats_.conflicts + max_conflicts;
  while (!unsatisfiable_) {
    if (!propagate()) {
      if (stats_.conflicts >= limit) return Answer::Unknown;
      unsatisfiable_ = !backtrack();
      continue;
    }
    const Literal alternative = choose();
    if (alternative == kTrue) return Answer::Sat;
    ++stats_.decisions;
    levels_.push_back({trail_.size(), alternative});
    assign(alternative);
  }
  return Answer::Unsat;
}

std::vector<smt::Edge> ChoiceGraph::edges() const {
  std::vector<smt::Edge> edges;
  for (const Literal literal : trail_)
    if (const Atom& atom = atoms_[literal.variable()]; atom.is_order())
      edges.push_back(literal.negated() ? smt::Edge{atom.to, atom.from} : smt::Edge{atom.from, atom.to});
  return edges;
}

}  // namespace racecast::analysis::nondet
