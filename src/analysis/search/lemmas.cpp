#include "analysis/search/lemmas.h"

#include <algorithm>

#include "base/check.h"

namespace racecast::analysis::predict {

using smt::kTrue;
using trace::Event;
using trace::EventKind;

void Lemmas::add(const Clause& clause) {
  if (std::ranges::none_of(clause, [&](Literal literal) { return literal == kTrue || solver_.holds(literal); }))
    learned_ = true;
  ++count_;
  literals_ += clause.size();
  solver_.add_clause(clause);
}

smt::Literal Lemmas::faithful(PointNo read) {
  const auto [it, fresh] = faithful_.try_emplace(read);
  if (fresh) it->second = solver_.new_variable();
  return it->second;
}

smt::Literal Lemmas::last_write(PointNo reader, CellNo cell, PointNo writer) {
  const auto [it, fresh] = last_writes_.try_emplace({reader, cell, writer});
  if (fresh) {
    it->second = solver_.new_variable();
    if (writer != kStart && writer != reader) add({~it->second, before(writer, reader)});
    if (writer != kStart && window_.free_outcome(writer) != nullptr) add({~it->second, success(writer)});
    // The nearer to the recorded run, the fewer other things change.
    const std::span<const CellAccess> accesses = window_.accesses(reader);
    const auto access = std::ranges::lower_bound(accesses, cell, {}, &CellAccess::cell);
    if (access != accesses.end() && access->cell == cell && access->reads && access->recorded == writer)
      solver_.prefer(it->second);
  }
  return it->second;
}

bool Lemmas::learn(const Attempt& attempt, const Proposal& proposal) {
  learned_ = false;
  seen_outcomes_.clear();
  for (const Blocked& blocked : attempt.blocked()) explain(attempt, proposal, blocked);
  while (!open_outcomes_.empty()) {
    const PointNo point = open_outcomes_.back();
    open_outcomes_.pop_back();
    explain_outcome(attempt, point);
  }
  return learned_;
}

void Lemmas::explain(const Attempt& attempt, const Proposal& proposal, const Blocked& blocked) {
  const PointNo point = blocked.point;
  switch (blocked.rule) {
    case Rule::None:
    case Rule::Order: break;
    case Rule::Held: is_tried(point) ? explain_refused(attempt, point) : explain_held(blocked); break;
    case Rule::NotHeld: is_tried(point) ? explain_taken(attempt, point) : explain_not_held(point); break;
    case Rule::NoUnit:
    case Rule::Unit: explain_semaphore(attempt, blocked); break;
    case Rule::Round: explain_round(attempt, blocked); break;
    case Rule::Entered: add({not_kept(point), not_kept(blocked.other)}); break;
    case Rule::NotDone: {
      Clause clause{not_kept(point)};
      for (const PointNo p : window_.objects[window_.object_of[point]].points)
        if (window_.event(p).kind == EventKind::OnceDone) clause.push_back(before(p, point));
      add(clause);
      break;
    }
    case Rule::Freed: add({not_kept(point), before(point, blocked.other)}); break;
    case Rule::NotNotified: explain_wake(attempt, point); break;
    case Rule::Unfaithful: explain_read(attempt, proposal, blocked); break;
    case Rule::CasSucceeds: explain_cas(attempt, point); break;
    case Rule::Unknown:
      window_.relaxed() ? explain_content(attempt, blocked) : explain_unknown(attempt, blocked);
      break;
    case Rule::Condition: explain_condition(attempt, blocked); break;
    case Rule::History: explain_unfaithful(attempt, point, attempt.deviated(window_.thread_of[point])); break;
    case Rule::OwnRead: explain_unfaithful(attempt, point, point); break;
    case Rule::Outcome: explain_outcome(attempt, point); break;
    case Rule::NotMine: explain_not_mine(attempt, point); break;
  }
}

std::uint32_t Lemmas::scope_around(std::uint32_t object, PointNo point) const {
  const std::uint32_t thread = window_.thread_of[point];
  for (const std::uint32_t s : window_.objects[object].scopes) {
    const Scope& scope = window_.scopes[s];
    if (scope.thread == thread && scope.acquire <= point && point <= scope.release) return s;
  }
  CHECK(false, "point {} is in no scope of its lock", point);
}

void Lemmas::explain_held(const Blocked& blocked) {
  const Event& e = window_.event(blocked.point);
  const std::uint32_t object =
      e.kind == EventKind::Wake ? window_.mutex_of[blocked.point] : window_.object_of[blocked.point];
  const Scope& mine = window_.scopes[scope_around(object, blocked.point)];
  const Scope& other = window_.scopes[scope_around(object, blocked.other)];
  exclude(other, mine);
}
void Lemmas::exclude(const Scope& one, const Scope& other) {
  const auto first_ends = [&](const Scope& first, const Scope& second) {
    Clause clause{not_kept(second.acquire), before(second.acquire, first.acquire)};
    if (first.release != kNone) clause.push_back(before(first.release, second.acquire));
    add(clause);
  };
  first_ends(one, other);
  first_ends(other, one);
}

void Lemmas::explain_not_held(PointNo point) {
  const Event& e = window_.event(point);
  Clause clause{not_kept(point)};
  for (const std::uint32_t s : window_.objects[window_.object_of[point]].scopes) {
    const Scope& scope = window_.scopes[s];
    if (scope.thread == window_.thread_of[point] || (scope.shared && e.kind == EventKind::RdLock)) continue;
    if (must_.before(point, scope.acquire)) continue;
    if (scope.release != kNone && must_.before(scope.release, point)) continue;
    const auto [it, fresh] = inside_.try_emplace({s, point});
    if (fresh) {
      it->second = solver_.new_variable();
      add({~it->second, before(scope.acquire, point)});
      if (scope.release != kNone) add({~it->second, before(point, scope.release)});
    }
    clause.push_back(it->second);
  }
  add(clause);
}

void Lemmas::explain_semaphore(const Attempt& attempt, const Blocked& blocked) {
  const bool wants_unit = blocked.rule == Rule::NoUnit;
  Clause clause{not_kept(blocked.point)};
  for (const PointNo p : window_.objects[window_.object_of[blocked.point]].points) {
    const Event& e = window_.event(p);
    if (p == blocked.point || (e.kind == EventKind::SemWait && e.has(trace::kFailed))) continue;
    // One more of these before the point, or one less of those.
    const bool gives = (e.kind == EventKind::SemPost) == wants_unit;
    if (gives && !attempt.performed(p)) clause.push_back(before(p, blocked.point));
    if (!gives && attempt.performed(p)) clause.push_back(before(blocked.point, p));
  }
  add(clause);
}

// The thread's arrival is in round k because k × parties arrivals are before it, and too few are before the leave.
void Lemmas::explain_round(const Attempt& attempt, const Blocked& blocked) {
  const std::uint32_t object = window_.object_of[blocked.point];
  const std::uint64_t parties = window_.objects[object].parties;
  const std::span<const PointNo> arrived = attempt.arrivals(object);
  const auto rank = static_cast<std::uint64_t>(std::ranges::find(arrived, blocked.other) - arrived.begin());
  Clause clause{not_kept(blocked.point)};
  for (const PointNo p : arrived.first(rank / parties * parties)) clause.push_back(before(blocked.other, p));
  for (const PointNo p : window_.objects[object].points)
    if (window_.event(p).kind == EventKind::BarrierArrive && !attempt.performed(p))
      clause.push_back(before(p, blocked.point));
  add(clause);
}

// Every wake has a notify of its own between its wait and itself. For all wakes so far, as they compete.
void Lemmas::explain_wake(const Attempt& attempt, PointNo point) {
  const std::vector<PointNo>& points = window_.objects[window_.object_of[point]].points;
  std::vector<PointNo> wakes;
  std::map<std::uint32_t, PointNo> slept;  // thread → its last wait
  std::map<PointNo, PointNo> wait_of;
  for (const PointNo p : points) {
    const Event& e = window_.event(p);
    if (e.kind == EventKind::Wait) slept[window_.thread_of[p]] = p;
    if (e.kind != EventKind::Wake || e.has(trace::kSpurious) || e.has(trace::kFailed)) continue;
    wait_of[p] = slept.contains(window_.thread_of[p]) ? slept[window_.thread_of[p]] : kStart;
    if (p == point || attempt.performed(p)) wakes.push_back(p);
  }
  std::map<PointNo, std::vector<std::pair<PointNo, Literal>>> users;  // notify → wakes that may use it
  for (const PointNo wake : wakes) {
    const PointNo wait = wait_of[wake];
    Clause clause{not_kept(wake)};
    for (const PointNo p : points) {
      const EventKind kind = window_.event(p).kind;
      if (kind != EventKind::Notify && kind != EventKind::NotifyAll) continue;
      if (must_.before(wake, p) || (wait != kStart && must_.before(p, wait))) continue;
      const auto [it, fresh] = notified_by_.try_emplace({wake, p});
      if (fresh) {
        it->second = solver_.new_variable();
        add({~it->second, before(p, wake)});
        if (wait != kStart) add({~it->second, before(wait, p)});
      }
      clause.push_back(it->second);
      if (kind == EventKind::Notify) users[p].emplace_back(wake, it->second);
    }
    add(clause);
  }
  // Of those that want one notify in this model, one gets it.
  for (auto& [notify, all] : users) {
    std::erase_if(all, [&](const auto& user) { return !solver_.holds(user.second); });
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t k = i + 1; k < all.size(); ++k) add({~all[i].second, ~all[k].second});
  }
}

// Why the read must be faithful, as a clause that ends with "it is".
void Lemmas::add_cause(const Proposal& proposal, PointNo read) {
  const std::uint32_t t = window_.thread_of[read], position = window_.position_of[read];
  const Literal is_faithful = faithful(read);
  if (solver_.holds(is_faithful)) return;
  const std::uint32_t by = window_.demanded_by[read];
  for (const PointNo racing : racing_)
    if (window_.thread_of[racing] == t && window_.demands[racing] != 0 && by != position) {
      add({is_faithful});
      return;
    }
  if (by == position) {
    add({not_kept(read), is_faithful});
    return;
  }
  if (by != kNone && by < proposal.kept[t]) {
    add({not_kept(window_.of_thread[t][by]), is_faithful});
    return;
  }
  for (const Demand& demand : demands_)
    if (demand.thread == t && position < demand.until) {
      add({~demand.reader_faithful, ~demand.read_from, is_faithful});
      return;
    }
}

void Lemmas::add_intruder(const Attempt& attempt, PointNo reader, CellNo cell, PointNo section) {
  const PointNo intruder = attempt.writer(cell);
  if (intruder == kStart || intruder < section) return;
  for (auto it = last_writes_.lower_bound({reader, cell, 0});
       it != last_writes_.end() && std::get<0>(it->first) == reader && std::get<1>(it->first) == cell; ++it) {
    if (std::get<2>(it->first) != intruder && solver_.holds(it->second))
      add_between(reader, cell, section, std::get<2>(it->first), intruder);
  }
}
// If `writer` is the last one before the reader, then the intruder is not between them.
void Lemmas::add_between(PointNo reader, CellNo cell, PointNo section, PointNo writer, PointNo intruder) {
  Clause clause{~last_write(reader, cell, writer), before(reader, intruder)};
  // The start content, and what missing code left, are before every write that counts.
  if (writer != kStart && writer != section) clause.push_back(before(intruder, writer));
  if (window_.free_outcome(intruder) != nullptr) clause.push_back(~success(intruder));
  add(clause);
}

void Lemmas::explain_read(const Attempt& attempt, const Proposal& proposal, const Blocked& blocked) {
  const PointNo read = blocked.point;
  add_cause(proposal, read);
  if (window_.cells[blocked.cell].is_state) {
    explain_state(attempt, {~faithful(read)}, read, read, blocked.cell);
    return;
  }
  const CellAccess& access = window_.access(read, blocked.cell);
  add_sources(read, access);
  add_intruder(attempt, read, access.cell, access.section);
}
void Lemmas::add_sources(PointNo read, const CellAccess& access) {
  Clause clause{~faithful(read)};
  for (const PointNo source : must_.sources(read, access)) clause.push_back(last_write(read, access.cell, source));
  add(clause);
}

void Lemmas::learn_cone(const Proposal& proposal) {
  const std::uint64_t limit = count_ + kMaxClauses;
  const auto kept = [&](PointNo p) { return window_.position_of[p] < proposal.kept[window_.thread_of[p]]; };
  for (const Object& object : window_.objects)
    for (std::size_t i = 0; i < object.scopes.size() && count_ < limit; ++i)
      for (std::size_t k = 0; k < i && count_ < limit; ++k) {
        const Scope& one = window_.scopes[object.scopes[k]];
        const Scope& other = window_.scopes[object.scopes[i]];
        if (one.thread == other.thread || (one.shared && other.shared) || !kept(one.acquire) || !kept(other.acquire))
          continue;
        if (one.release == kNone || !must_.before(one.release, other.acquire)) exclude(one, other);
      }
  for (std::uint32_t t = 0; t < proposal.kept.size(); ++t)
    for (std::uint32_t position = 0; position < proposal.kept[t] && count_ < limit; ++position) {
      const PointNo read = window_.of_thread[t][position];
      const bool demanded = position < proposal.faithful[t] || window_.demanded_by[read] == position;
      if (read <= window_.fixed || !demanded || !trace::reads(window_.event(read))) continue;
      for (const CellAccess& access : window_.accesses(read)) {
        add_cause(proposal, read);
        if (window_.cells[access.cell].is_state) {
          add_appends({~faithful(read)}, read, read, access.cell);
          continue;
        }
        add_sources(read, access);
        for (const PointNo source : must_.sources(read, access))
          for (const PointNo intruder : window_.writers[access.cell])
            if (intruder != source && intruder != read && intruder >= access.section && kept(intruder) &&
                !must_.before(read, intruder) && count_ < limit)
              add_between(read, access.cell, access.section, source, intruder);
      }
    }
}

// Another write than the present one is the last before `reader`.
void Lemmas::add_other_writers(Clause& clause, const Attempt& attempt, PointNo reader, CellNo cell, PointNo section) {
  const PointNo present = std::max(attempt.writer(cell), section);
  if (section != present) clause.push_back(last_write(reader, cell, section));
  for (const PointNo writer : window_.writers[cell])
    if (writer != present && writer != section && writer != reader && writer >= section &&
        !must_.before(reader, writer))
      clause.push_back(last_write(reader, cell, writer));
  if (attempt.unknown(cell) && attempt.writer(cell) != kStart)
    if (const PointNo cause = attempt.deviated(window_.thread_of[attempt.writer(cell)]); cause != kStart)
      clause.push_back(faithful(cause));
}

void Lemmas::explain_cas(const Attempt& attempt, PointNo point) {
  Clause clause{not_kept(point)};
  for (const CellAccess& access : window_.accesses(point)) {
    add_intruder(attempt, point, access.cell, access.section);
    add_other_writers(clause, attempt, point, access.cell, access.section);
  }
  add(clause);
}

void Lemmas::explain_unknown(const Attempt& attempt, const Blocked& blocked) {
  Clause clause;
  if (!is_racing(blocked.point)) clause.push_back(not_kept(blocked.point));
  if (window_.cells[blocked.cell].is_state) {
    explain_state(attempt, clause, blocked.point, blocked.point, blocked.cell);
    return;
  }
  add_intruder(attempt, blocked.point, blocked.cell, kStart);
  add_other_writers(clause, attempt, blocked.point, blocked.cell, kStart);
  add(clause);
}

void Lemmas::demand(Proposal& proposal) {
  demands_.clear();
  proposal.demanded.clear();
  proposal.faithful.assign(proposal.kept.size(), 0);
  if (window_.relaxed()) return;
  for (std::uint32_t t = 0; t < proposal.kept.size(); ++t)
    if (proposal.kept[t] > 0)
      if (const std::uint32_t last = window_.last_demand[window_.of_thread[t][proposal.kept[t] - 1]]; last != kNone)
        proposal.faithful[t] = last;
  for (const PointNo racing : racing_)
    if (window_.demands[racing] != 0) proposal.faithful[window_.thread_of[racing]] = window_.position_of[racing];
  for (const auto& [read, literal] : faithful_)
    if (solver_.holds(literal)) {
      proposal.demanded.insert(read);
      if (is_on_state(read)) demand_appends(read, literal, proposal);
    }
  for (const auto& [key, literal] : last_writes_) {
    const auto& [reader, cell, writer] = key;
    const auto is_faithful = faithful_.find(reader);
    if (writer == kStart || is_faithful == faithful_.end()) continue;
    if (!solver_.holds(literal) || !solver_.holds(is_faithful->second)) continue;
    if (!trace::writes(window_.event(writer))) continue;  // missing code: what it leaves is as recorded
    const std::uint32_t t = window_.thread_of[writer];
    // A read-modify-write stores its value only if its own read is faithful.
    const std::uint32_t until = window_.position_of[writer] + (trace::reads(window_.event(writer)) ? 1 : 0);
    demands_.push_back({t, until, is_faithful->second, literal});
    proposal.faithful[t] = std::max(proposal.faithful[t], until);
  }
}

}  // namespace racecast::analysis::predict
