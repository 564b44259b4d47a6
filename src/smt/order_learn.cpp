// What a conflict teaches: the first point through which everything of the last level led to it (1-UIP), made smaller
// by what follows from the rest of the clause. Also which learned clauses are kept: those of low rank (the number of
// levels that they join; Audemard and Simon 2009), the others by turns. Tried: to go back one level only where the
// clause would go back many (Nadel and Ryvchin 2018), no faster.
#include <algorithm>

#include "smt/order_solver.h"

namespace racecast::smt {

bool OrderSolver::learn() {
  ++stats_.conflicts;
  // A clause that was added late may be false far below the current level, or through one literal of its last level
  // only.
  std::uint32_t last = 0, count = 0;
  for (const Literal l : conflict_) {
    if (level_of(l) > last) last = level_of(l), count = 0;
    if (level_of(l) == last) ++count;
  }
  if (last == 0) {
    unsatisfiable_ = true;
    return false;
  }
  backtrack(last);
  if (count > 1) {
    analyse();
  } else {
    learned_now_.clear();
    for (const Literal l : conflict_)
      if (level_of(l) > 0) learned_now_.push_back(l);
    std::swap(*std::ranges::find_if(learned_now_, [&](Literal l) { return level_of(l) == last; }), learned_now_[0]);
  }
  heap_.decay();

  const Literal forced = learned_now_[0];
  if (learned_now_.size() == 1) {
    backtrack(0);
    force_late();
    if (value(forced) == 0) assign(forced, kDecided);
    unsatisfiable_ = value(forced) < 0;
    return !unsatisfiable_;
  }
  const auto highest = std::max_element(learned_now_.begin() + 1, learned_now_.end(),
                                        [&](Literal a, Literal b) { return level_of(a) < level_of(b); });
  std::swap(learned_now_[1], *highest);
  const ClauseRef ref = clauses_.add(learned_now_, true, rank(learned_now_));
  learned_.push_back(ref);
  attach(ref);
  backtrack(level_of(learned_now_[1]));
  assign(forced, ref);
  force_late();
  return true;
}

std::span<const Literal> OrderSolver::reason_of(Literal l) {
  const VariableState& v = variables_[l.variable()];
  reason_.clear();
  if (v.reason == kByOrder) {
    const Node from = l.negated() ? v.to : v.from, to = l.negated() ? v.from : v.to;
    for (const std::uint32_t edge : graph_.path(from, to, v.place)) reason_.push_back(~trail_[edge]);
  } else {
    for (const Literal other : clauses_.literals(v.reason))
      if (other != l) reason_.push_back(other);
  }
  return reason_;
}

void OrderSolver::analyse() {
  learned_now_.assign(1, kFalse);
  seen_.clear();
  std::uint32_t open = 0;
  std::size_t place = trail_.size();
  std::span<const Literal> literals = conflict_;
  Literal uip;
  for (;;) {
    for (const Literal l : literals) {
      VariableState& v = variables_[l.variable()];
      if (v.seen || v.level == 0) continue;
      v.seen = true;
      seen_.push_back(l.variable());
      heap_.bump(l.variable());
      if (v.level == level())
        ++open;
      else
        learned_now_.push_back(l);
    }
    do --place;
    while (!variables_[trail_[place].variable()].seen);
    uip = trail_[place];
    if (--open == 0) break;
    literals = reason_of(uip);
  }
  learned_now_[0] = ~uip;
  std::size_t kept = 1;
  for (std::size_t i = 1; i < learned_now_.size(); ++i)
    if (!redundant(learned_now_[i], 0)) learned_now_[kept++] = learned_now_[i];
  learned_now_.resize(kept);
  for (const Variable v : seen_) variables_[v].seen = false;
}

// Does it follow from the rest of the learned clause, by clauses? Looks a few steps back only.
bool OrderSolver::redundant(Literal l, int depth) {
  constexpr int kDepth = 8;
  const ClauseRef reason = variables_[l.variable()].reason;
  if (reason == kDecided || reason == kByOrder || depth > kDepth) return false;
  for (const Literal other : clauses_.literals(reason)) {
    const VariableState& v = variables_[other.variable()];
    if (other == ~l || v.level == 0 || v.seen) continue;
    if (!redundant(other, depth + 1)) return false;
  }
  return true;
}

std::uint32_t OrderSolver::rank(std::span<const Literal> literals) {
  ++mark_;
  std::uint32_t levels = 0;
  for (const Literal l : literals) {
    if (level_of(l) >= level_mark_.size()) level_mark_.resize(level_of(l) + 1, 0);
    if (level_mark_[level_of(l)] == mark_) continue;
    level_mark_[level_of(l)] = mark_;
    ++levels;
  }
  return levels;
}

// Drops half of the learned clauses of higher rank, the older ones first among equals, and moves all others together.
void OrderSolver::drop_learned() {
  constexpr std::uint32_t kKeptRank = 2;
  std::vector<ClauseRef> doubtful, kept;
  for (const ClauseRef ref : learned_) {
    const Literal first = clauses_.literals(ref)[0];
    const bool is_reason = value(first) > 0 && variables_[first.variable()].reason == ref;
    (is_reason || clauses_.rank(ref) <= kKeptRank ? kept : doubtful).push_back(ref);
  }
  std::ranges::sort(doubtful, [&](ClauseRef a, ClauseRef b) {
    return clauses_.rank(a) != clauses_.rank(b) ? clauses_.rank(a) < clauses_.rank(b) : a > b;
  });
  doubtful.resize(doubtful.size() / 2);
  kept.insert(kept.end(), doubtful.begin(), doubtful.end());
  std::ranges::sort(kept);
  learned_ = std::move(kept);

  ClauseStore target;
  for (ClauseRef& ref : given_) ref = clauses_.move(ref, target);
  for (ClauseRef& ref : late_) ref = clauses_.move(ref, target);
  for (ClauseRef& ref : learned_) ref = clauses_.move(ref, target);
  for (const Literal l : trail_) {
    ClauseRef& reason = variables_[l.variable()].reason;
    if (reason != kDecided && reason != kByOrder) reason = clauses_.move(reason, target);
  }
  for (std::vector<ClauseRef>& refs : occurs_)
    for (ClauseRef& ref : refs) ref = clauses_.move(ref, target);
  clauses_ = std::move(target);
  for (std::vector<Watch>& watches : watches_) watches.clear();
  for (const ClauseRef ref : given_) attach(ref);
  for (const ClauseRef ref : learned_) attach(ref);
}

}  // namespace racecast::smt
