// What is learned where outcomes are free (docs/semantics.md, section 7): why a try took its lock or did not, why a
// compare-and-swap found what it expected or did not. That an operation succeeds is a variable; what makes it so is
// learned where the solver thinks otherwise.
//
// A try is refused inside of somebody's hold: two literals say where that begins and ends. It succeeds where nobody
// holds the lock: for each thread that uses it, between which of its operations the try is (holds.h).
#include "analysis/search/holds.h"
#include "analysis/search/lemmas.h"
#include "base/check.h"

namespace racecast::analysis::predict {

using smt::kFalse;
using smt::kTrue;
using trace::EventKind;

smt::Literal Lemmas::success(PointNo point) {
  const bool failed = window_.event(point).has(trace::kFailed);
  const FreeOutcome* free = window_.free_outcome(point);
  if (free == nullptr) return failed ? kFalse : kTrue;
  const auto [it, fresh] = successes_.try_emplace(point);
  if (!fresh) return it->second;
  const Literal literal = it->second = solver_.new_variable();
  const Literal as_recorded = failed ? ~literal : literal;
  solver_.prefer(as_recorded);
  if (free->decided != kNone) add({not_kept(free->decided), as_recorded});
  return literal;
}

smt::Literal Lemmas::other_outcome(const Attempt& attempt, PointNo point) {
  const bool is_new = !successes_.contains(point);
  const Literal other = attempt.succeeds(point) ? ~success(point) : success(point);
  if (is_new || solver_.holds(other)) open_outcomes_.push_back(point);
  return other;
}

void Lemmas::explain_outcome(const Attempt& attempt, PointNo point) {
  if (!seen_outcomes_.insert(point).second) return;
  if (trace::is_access(window_.event(point).kind))
    explain_cas_outcome(attempt, point);
  else if (attempt.succeeds(point))
    explain_taken(attempt, point);
  else
    explain_refused(attempt, point);
}

// Nobody held the lock: nobody does as long as everybody stands where they stood.
void Lemmas::explain_taken(const Attempt& attempt, PointNo point) {
  const Holds holds(window_, attempt);
  const std::uint32_t object = lock_of(point), own = window_.thread_of[point];
  Clause clause{not_kept(point), success(point)};
  for (std::uint32_t t = 0; t < window_.objects[object].users.size(); ++t) {
    if (window_.objects[object].users[t].empty()) continue;
    const Holds::Situation situation = holds.of(t, object, point);
    if (t != own && situation.last != kStart) clause.push_back(before(point, situation.last));
    if (t != own && situation.next != kNone) clause.push_back(before(situation.next, point));
    for (const PointNo tries : situation.tries) clause.push_back(other_outcome(attempt, tries));
  }
  std::erase(clause, kFalse);
  add(clause);
}

// Somebody held it, perhaps the thread itself.
void Lemmas::explain_refused(const Attempt& attempt, PointNo point) {
  const Holds holds(window_, attempt);
  const std::uint32_t object = lock_of(point), own = window_.thread_of[point];
  const bool wakes = window_.event(point).kind == EventKind::Wake;
  const bool reads = window_.event(point).kind == EventKind::RdLock;
  for (std::uint32_t t = 0; t < window_.objects[object].users.size(); ++t) {
    if (window_.objects[object].users[t].empty()) continue;
    const Holds::Situation situation = holds.of(t, object, point);
    const bool again = t == own && window_.objects[object].recursive && !wakes;
    if (situation.acquire == kStart || again || (reads && situation.shared)) continue;
    const PointNo acquire = situation.acquire, end = holds.end_of(acquire, object);
    Clause clause{not_kept(point)};
    if (!wakes) clause.push_back(~success(point));
    if (t != own) clause.push_back(before(point, acquire));
    if (t != own && end != kNone) clause.push_back(before(end, point));
    if (window_.free_outcome(acquire) != nullptr) clause.push_back(other_outcome(attempt, acquire));
    std::erase(clause, kFalse);
    add(clause);
    return;
  }
  CHECK(false, "nobody holds the lock that point {} does not get", point);
}

// Whether it holds its lock is for its own tries to say.
void Lemmas::explain_not_mine(const Attempt& attempt, PointNo point) {
  Clause clause{not_kept(point)};
  for (const PointNo tries : Holds(window_, attempt).of(window_.thread_of[point], lock_of(point), point).tries)
    clause.push_back(other_outcome(attempt, tries));
  add(clause);
}

}  // namespace racecast::analysis::predict
