// The search: take in what was added, propagate, decide, learn. Only a variable of a clause that no literal satisfies
// yet is decided, so the model stays small: when none is left, the answer is Sat, whatever else is open. The clause
// that made a variable worth deciding also says which literal to try: one of it, if possible one that is as in the
// recorded order (or as it was the last time).
//
// Between calls the trail stays as it is. A new clause that is false takes back the last level that made it so; one
// that forces a literal forces it on the current level, though it could be on a lower one (late_).
#include "smt/order_solver.h"

#include <algorithm>

#include "base/check.h"

namespace racecast::smt {

namespace {

constexpr std::uint64_t kRestartUnit = 100, kFirstDrop = 2000, kDropMore = 300;
constexpr std::size_t kManyLate = 100;

// 1 1 2 1 1 2 4 ...
std::uint64_t luby(std::uint64_t i) {
  std::uint64_t size = 1, power = 0;
  while (size < i + 1) {
    ++power;
    size = 2 * size + 1;
  }
  while (size - 1 != i) {
    size = (size - 1) / 2;
    --power;
    i %= size;
  }
  return std::uint64_t{1} << power;
}

}  // namespace

OrderSolver::OrderSolver(const BaseOrder& base)
    : base_(base), graph_(base), next_restart_(kRestartUnit), next_drop_(kFirstDrop) {
  assign(new_variable(), kDecided);
}

Literal OrderSolver::new_variable() {
  const Literal l{static_cast<std::uint32_t>(2 * variables_.size())};
  variables_.emplace_back();
  values_.resize(values_.size() + 2, 0);
  watches_.resize(watches_.size() + 2);
  occurs_.resize(occurs_.size() + 2);
  heap_.add_variable();
  return l;
}

Literal OrderSolver::before(Point a, Point b) {
  CHECK(a != b);
  const Point first = std::min(a, b), second = std::max(a, b);
  const std::uint64_t key = std::uint64_t{first} << 32 | second;
  Literal l;
  if (const auto it = atom_numbers_.find(key); it != atom_numbers_.end()) {
    l = {2 * it->second};
  } else if (base_.before(first, second)) {
    l = kTrue;
  } else if (base_.before(second, first)) {
    l = kFalse;
  } else {
    l = new_variable();
    atom_numbers_.emplace(key, l.variable());
    VariableState& v = variables_[l.variable()];
    v.from = graph_.node(first);
    v.to = graph_.node(second);
    v.first = first;
    v.second = second;
    v.phase = true;  // points are numbered in the recorded order
    atoms_.resize(graph_.nodes());
    atoms_[v.from].push_back({v.to, l});
    atoms_[v.to].push_back({v.from, ~l});
  }
  return a == first ? l : ~l;
}

void OrderSolver::add_clause(std::span<const Literal> clause) {
  pending_start_.push_back(pending_.size());
  pending_.insert(pending_.end(), clause.begin(), clause.end());
}

std::vector<Edge> OrderSolver::edges() const {
  std::vector<Edge> result;
  for (const Literal l : trail_) {
    const VariableState& v = variables_[l.variable()];
    if (v.from == kNoNode) continue;
    result.push_back(l.negated() ? Edge{v.second, v.first} : Edge{v.first, v.second});
  }
  return result;
}

// False: the clauses cannot be satisfied.
bool OrderSolver::insert(std::vector<Literal>& clause) {
  std::ranges::sort(clause, {}, &Literal::code);
  clause.erase(std::unique(clause.begin(), clause.end()), clause.end());
  for (std::size_t i = 0; i < clause.size(); ++i) {
    if (i > 0 && clause[i] == ~clause[i - 1]) return true;
    if (value(clause[i]) > 0 && level_of(clause[i]) == 0) return true;
  }
  std::erase_if(clause, [&](Literal l) { return value(l) < 0 && level_of(l) == 0; });
  // Every clause has two literals to watch.
  while (clause.size() < 2) clause.push_back(kFalse);

  for (const Literal l : clause)
    for (const Literal either : {l, ~l})
      if (value(l) == 0 && follows_from_order(either)) {
        ++stats_.propagations;
        assign(either, kByOrder);
      }
  // True ones first, those of low levels before others; then open ones; then false ones, the last to become open first.
  const auto worth = [&](Literal l) {
    const std::uint64_t open = std::uint64_t{1} << 32;
    return value(l) > 0 ? 2 * open - level_of(l) : (value(l) == 0 ? open : level_of(l));
  };
  std::partial_sort(clause.begin(), clause.begin() + 2, clause.end(),
                    [&](Literal a, Literal b) { return worth(a) != worth(b) ? worth(a) > worth(b) : a.code < b.code; });
  const ClauseRef ref = clauses_.add(clause, false, 0);
  given_.push_back(ref);
  attach(ref);
  for (const Literal l : clause) {
    occurs_[l.code].push_back(ref);
    if (value(l) == 0) heap_.insert(l.variable());
  }
  if (value(clause[0]) >= 0) {
    if (value(clause[0]) == 0 && value(clause[1]) < 0) force(ref);
    return true;
  }
  if (level_of(clause[0]) == 0) {
    unsatisfiable_ = true;
    return false;
  }
  if (level_of(clause[0]) == level_of(clause[1])) {
    conflict_ = clause;
    return learn();
  }
  backtrack(level_of(clause[0]) - 1);
  force_late();
  if (value(clause[0]) == 0) force(ref);
  return true;
}

// The first literal is open, all others are false; the second has the highest level of them.
void OrderSolver::force(ClauseRef ref) {
  const std::span<Literal> literals = clauses_.literals(ref);
  ++stats_.propagations;
  assign(literals[0], ref);
  if (level_of(literals[1]) < level()) late_.push_back(ref);
}

// After backtracking: what late clauses force. Those with two open literals are like any other again.
void OrderSolver::force_late() {
  if (late_.empty()) return;
  std::vector<ClauseRef> late;
  late.swap(late_);
  for (const ClauseRef ref : late) {
    const std::span<Literal> literals = clauses_.literals(ref);
    if (value(literals[0]) == 0 && value(literals[1]) == 0) continue;
    if (value(literals[1]) == 0) std::swap(literals[0], literals[1]);
    const bool forces = value(literals[0]) == 0 &&
                        std::all_of(literals.begin() + 1, literals.end(), [&](Literal l) { return value(l) < 0; });
    if (forces)
      force(ref);
    else
      late_.push_back(ref);
  }
}

ClauseRef OrderSolver::unsatisfied_clause(Variable v) {
  const bool phase = variables_[v].phase;
  for (const Literal l : {Literal{2 * v + (phase ? 0 : 1)}, Literal{2 * v + (phase ? 1 : 0)}}) {
    for (const ClauseRef ref : occurs_[l.code]) {
      if (value(clauses_.seen_true(ref)) > 0) continue;
      const std::span<Literal> literals = clauses_.literals(ref);
      const auto true_one = std::ranges::find_if(literals, [&](Literal other) { return value(other) > 0; });
      if (true_one == literals.end()) return ref;
      clauses_.seen_true(ref) = *true_one;
    }
  }
  return kNoClause;
}

// A literal of an unsatisfied clause of which `v` is an open variable.
Literal OrderSolver::choose(Variable v, ClauseRef clause) {
  Literal own, best;
  bool found = false;
  for (const Literal l : clauses_.literals(clause)) {
    if (value(l) != 0) continue;
    if (l.variable() == v) own = l;
    if (variables_[l.variable()].phase == l.negated()) continue;
    if (l.variable() == v) return l;
    if (!found || heap_.activity(l.variable()) > heap_.activity(best.variable())) best = l;
    found = true;
  }
  return found ? best : own;
}

// False: every clause is satisfied.
bool OrderSolver::decide() {
  while (!heap_.empty()) {
    const Variable v = heap_.pop();
    if (value(Literal{2 * v}) != 0) continue;
    const ClauseRef clause = unsatisfied_clause(v);
    if (clause == kNoClause) {
      if (level() > 0) idle_.push_back(v);
      continue;
    }
    const Literal l = choose(v, clause);
    if (l.variable() != v) heap_.insert(v);
    for (const Literal either : {l, ~l})
      if (follows_from_order(either)) {
        ++stats_.propagations;
        assign(either, kByOrder);
        return true;
      }
    ++stats_.decisions;
    open_level();
    assign(l, kDecided);
    return true;
  }
  return false;
}

void OrderSolver::restart() {
  next_restart_ = stats_.conflicts + kRestartUnit * luby(restarts_++);
  backtrack(0);
  force_late();
}

Answer OrderSolver::solve(std::uint64_t max_conflicts) {
  const std::uint64_t first_conflict = stats_.conflicts;
  std::vector<Literal> clause;
  for (std::size_t i = 0; i < pending_start_.size() && !unsatisfiable_; ++i) {
    const auto end = i + 1 < pending_start_.size() ? pending_start_[i + 1] : pending_.size();
    clause.assign(pending_.begin() + static_cast<std::ptrdiff_t>(pending_start_[i]),
                  pending_.begin() + static_cast<std::ptrdiff_t>(end));
    insert(clause);
  }
  pending_.clear();
  pending_start_.clear();
  if (late_.size() > kManyLate) restart();
  while (!unsatisfiable_) {
    if (!propagate()) {
      if (!learn()) break;
      if (stats_.conflicts - first_conflict > max_conflicts) return Answer::Unknown;
      continue;
    }
    if (stats_.conflicts >= next_restart_) {
      restart();
      continue;
    }
    if (stats_.conflicts >= next_drop_) {
      next_drop_ = stats_.conflicts + kFirstDrop + kDropMore * ++drops_;
      drop_learned();
    }
    if (!decide()) return Answer::Sat;
  }
  return Answer::Unsat;
}

std::unique_ptr<Solver> make_order_solver(const BaseOrder& base) {
  return std::make_unique<OrderSolver>(base);
}

}  // namespace racecast::smt
