// What is learned about state outside of memory (trace/state.h). It is as recorded where somebody comes to it exactly
// if the appends that were recorded before, all of them and no other, have been performed in recorded order, each by a
// thread that had not deviated. Of each thread the last append before and the first after say the first two, so these
// are learned at once; the order of appends, where an attempt breaks it: of two that follow each other in the trace. A
// chain of a hundred thousand is never written out.
#include <algorithm>

#include "analysis/search/lemmas.h"
#include "base/check.h"

namespace racecast::analysis::predict {

bool Lemmas::is_on_state(PointNo point) const {
  const std::span<const CellAccess> accesses = window_.accesses(point);
  return !accesses.empty() && window_.cells[accesses.front().cell].is_state;
}

void Lemmas::explain_state(const Attempt& attempt, const Clause& head, PointNo by, PointNo reader, CellNo cell) {
  const StateCause cause = why_not_as_recorded(window_, attempt, reader, cell);
  if (cause.first == kNone && cause.deviating == kNone) {
    add(head);
    return;
  }
  add_appends(head, by, reader, cell);
  add_order_of_appends(attempt, head, reader, cell);
  if (cause.deviating == kNone) return;
  Clause clause = head;
  clause.push_back(faithful(cause.deviating));
  add(clause);
}

void Lemmas::add_appends(const Clause& head, PointNo by, PointNo reader, CellNo cell) {
  if (!appends_.insert({by, reader, cell}).second) return;
  const auto need = [&](PointNo first, PointNo second) {
    if (must_.before(first, second)) return;
    Clause clause = head;
    clause.push_back(before(first, second));
    add(clause);
  };
  for (std::uint32_t t = 0; t < window_.of_thread.size(); ++t) {
    if (t == window_.thread_of[reader]) continue;
    const std::span<const PointNo> appends = must_.writes_of(cell, t);
    const auto later = std::ranges::lower_bound(appends, reader);
    if (later != appends.begin()) need(*std::prev(later), reader);
    if (later != appends.end()) need(reader, *later);
  }
}

void Lemmas::add_order_of_appends(const Attempt& attempt, const Clause& head, PointNo reader, CellNo cell) {
  HashMap<PointNo, std::size_t> place;
  for (const PointNo p : attempt.order())
    if (window_.event(p).has(trace::kAppend) && is_on_state(p) && window_.accesses(p).front().cell == cell)
      place[p] = place.size();
  const std::vector<PointNo>& appends = window_.writers[cell];
  auto last = appends.end();  // the one before; what is as recorded is in order
  for (auto it = std::ranges::upper_bound(appends, attempt.as_recorded()); it != appends.end() && *it < reader; ++it) {
    const auto earlier = last == appends.end() ? place.end() : place.find(*last);
    const auto now = place.find(*it);
    const bool in_order = last == appends.end() || now == place.end() ||
                          (earlier != place.end() && earlier->second < now->second) || must_.before(*last, *it);
    if (!in_order) {
      Clause clause = head;
      clause.push_back(before(*last, *it));
      add(clause);
    }
    last = it;
  }
}

// What a thread read before it appends must have been faithful.
void Lemmas::demand_appends(PointNo read, Literal is_faithful, Proposal& proposal) {
  const CellNo cell = window_.accesses(read).front().cell;
  for (std::uint32_t t = 0; t < window_.of_thread.size(); ++t) {
    const std::span<const PointNo> appends = must_.writes_of(cell, t);
    const auto later = std::ranges::lower_bound(appends, read);
    if (later == appends.begin()) continue;
    const std::uint32_t until = window_.position_of[*std::prev(later)];
    demands_.push_back({t, until, is_faithful, smt::kTrue});
    proposal.faithful[t] = std::max(proposal.faithful[t], until);
  }
}

Lemmas::StateCause Lemmas::why_not_as_recorded(const Window& window, const Attempt& attempt, PointNo reader,
                                               CellNo cell) {
  const std::vector<PointNo>& appends = window.writers[cell];
  const auto first_after = [&](PointNo point) {
    const auto it = std::ranges::upper_bound(appends, point);
    return it == appends.end() ? kNone : *it;
  };
  const auto last_before = [&](PointNo point) {
    const auto it = std::ranges::lower_bound(appends, point);
    return it == appends.begin() ? kStart : *std::prev(it);
  };
  for (const CellAccess& access : window.accesses(reader))
    if (access.cell == cell && access.recorded == kNone) return {};
  // Up to here they came as recorded, none is missing.
  PointNo last = last_before(attempt.as_recorded() + 1);
  for (const PointNo p : attempt.order()) {
    if (p == reader) break;
    const std::span<const CellAccess> accesses = window.accesses(p);
    if (accesses.empty() || accesses.front().cell != cell || !accesses.front().appends) continue;
    if (p > reader) return {reader, p, kNone};
    if (accesses.front().recorded == kNone) return {};
    if (last != last_before(p)) return {first_after(last), p, kNone};
    const bool by_history = !window.relaxed() || window.written(p) != model::kConstant;
    if (by_history && attempt.poisoned(p)) return {kNone, kNone, attempt.deviated(window.thread_of[p])};
    last = p;
  }
  CHECK(last != last_before(reader), "the state at point {} is as recorded", reader);
  return {first_after(last), reader, kNone};
}

}  // namespace racecast::analysis::predict
