// All correct reorderings of a trace, and what is looked for among them: races, sync-preserving races, deadlocks.
// Depth-first; an execution whose key() was seen has the
// same future as the one that was seen, so it is not followed again.
#include <algorithm>
#include <unordered_set>

#include "property/oracle_order.h"

namespace racecast::oracle {

using trace::EventKind;

namespace {

// An event that touches nothing that another thread could look at, outside missing code: once it may be appended, doing
// it now instead of later takes away no reordering (up to the place of this event), and it can only bring the thread
// nearer to its next access.
bool concerns_nobody(const Facts& facts, int e) {
  if (!facts.own_point_of[e].empty()) return false;
  switch (facts.event(e).kind) {
    case EventKind::ThreadBegin:
    case EventKind::ThreadEnd:
    case EventKind::Branch:
    case EventKind::Call:
    case EventKind::Return:
    case EventKind::Value:
    case EventKind::Marker:
    case EventKind::Fence:
    case EventKind::Alloc:
    case EventKind::Fork: return true;
    default: return false;
  }
}

class Dfs {
 public:
  Dfs(const Facts& facts, const Limits& limits, const Visit& visit, const Allowed& allowed)
      : facts_(facts), limits_(limits), visit_(visit), allowed_(allowed) {}

  Search run() {
    from(Execution(facts_));
    return search_;
  }

 private:
  void from(Execution execution) {
    if (!search_.complete) return;
    if (limits_.memoise) {
      run_ahead(execution);
      if (!seen_.insert(execution.key()).second) return;
    }
    if (search_.states == limits_.max_states) {
      search_.complete = false;
      return;
    }
    ++search_.states;
    visit_(execution);
    for (int thread = 0; thread < static_cast<int>(facts_.of_thread.size()); ++thread) {
      const int e = execution.next_of(thread);
      if (e < 0 || !execution.broken_by(e).empty() || !allowed(execution, e)) continue;
      Execution longer = execution;
      longer.append(e);
      from(std::move(longer));
    }
  }

  void run_ahead(Execution& execution) {
    for (bool moved = true; moved;) {
      moved = false;
      for (int thread = 0; thread < static_cast<int>(facts_.of_thread.size()); ++thread) {
        const int e = execution.next_of(thread);
        if (e < 0 || !concerns_nobody(facts_, e) || !execution.broken_by(e).empty() || !allowed(execution, e)) continue;
        execution.append(e);
        moved = true;
      }
    }
  }

  bool allowed(const Execution& execution, int e) const { return !allowed_ || allowed_(execution, e); }

  const Facts& facts_;
  const Limits& limits_;
  const Visit& visit_;
  const Allowed& allowed_;
  std::unordered_set<std::string> seen_;
  Search search_;
};

}  // namespace

Search for_all_reorderings(const Facts& facts, const Limits& limits, const Visit& visit) {
  const Allowed everything;
  return Dfs(facts, limits, visit, everything).run();
}
Search for_all_reorderings(const Facts& facts, const Limits& limits, const Visit& visit, const Allowed& allowed) {
  return Dfs(facts, limits, visit, allowed).run();
}

std::set<Pair> Races::pairs() const {
  std::set<Pair> result;
  for (const auto& [pair, witness] : witnesses) result.insert(pair);
  return result;
}

namespace {

// Notes the pairs that are both next now, by the rules and by `may_be_next`.
template <typename MayBeNext>
void note_races(const Facts& facts, const Execution& execution, Races& result, const MayBeNext& may_be_next) {
  const int threads = static_cast<int>(facts.of_thread.size());
  for (int s = 0; s < threads; ++s)
    for (int t = s + 1; t < threads; ++t) {
      const int a = std::min(execution.next_of(s), execution.next_of(t));
      const int b = std::max(execution.next_of(s), execution.next_of(t));
      if (a < 0 || !facts.conflict(a, b)) continue;
      const Pair pair{static_cast<EventNo>(a), static_cast<EventNo>(b)};
      if (result.witnesses.contains(pair)) continue;
      if (!execution.broken_by_next(a).empty() || !execution.broken_by_next(b).empty()) continue;
      if (!may_be_next(a) || !may_be_next(b)) continue;
      std::vector<EventNo>& witness = result.witnesses[pair];
      for (const int e : execution.events()) witness.push_back(static_cast<EventNo>(e));
    }
}

}  // namespace

Races races(const trace::Trace& trace, const Limits& limits) {
  const Facts facts(trace);
  Races result;
  result.search = for_all_reorderings(facts, limits, [&](const Execution& execution) {
    note_races(facts, execution, result, [](int) { return true; });
  });
  return result;
}

Races syncp_races(const trace::Trace& trace, const Limits& limits) {
  const Facts facts(trace);
  Order order(facts, Order::Locks::Ignored);
  order.add_execution_edges();
  const std::vector<Scope> scopes = scopes_of(facts);
  const auto all_there = [](const Execution& execution, const std::vector<int>& events) {
    return std::all_of(events.begin(), events.end(), [&](int f) { return execution.has(f); });
  };
  // e begins a scope: no scope that it excludes and that begins later in the trace may have begun.
  const auto keeps_scopes_in_order = [&](const Execution& execution, int e) {
    for (const Scope& mine : scopes)
      for (const Scope& later : scopes)
        if (mine.begin == e && later.begin > e && exclude_each_other(mine, later) && execution.has(later.begin))
          return false;
    return true;
  };
  const Allowed preserves_synchronisation = [&](const Execution& execution, int e) {
    return execution.reads_from_recorded_writers(e) && all_there(execution, order.into(e)) &&
           all_there(execution, order.read_from(e)) && keeps_scopes_in_order(execution, e);
  };
  Races result;
  const Visit visit = [&](const Execution& execution) {
    note_races(facts, execution, result, [&](int e) { return all_there(execution, order.into(e)); });
  };
  result.search = for_all_reorderings(facts, limits, visit, preserves_synchronisation);
  return result;
}

Deadlock deadlock(const trace::Trace& trace, const Limits& limits) {
  const Facts facts(trace);
  Deadlock result;
  result.search = for_all_reorderings(facts, limits, [&](const Execution& execution) {
    if (result.witness) return;
    // The largest such set: leave out whoever waits for nobody in it, until all that are left do.
    std::map<int, std::set<int>> waiting;  // thread -> whom it waits for
    for (int thread = 0; thread < static_cast<int>(facts.of_thread.size()); ++thread)
      if (const int e = execution.next_of(thread); e >= 0) waiting[thread] = execution.waits_for(e);
    const auto waits_in_vain = [&](const auto& row) {
      return std::none_of(row.second.begin(), row.second.end(), [&](int other) { return waiting.contains(other); });
    };
    while (std::erase_if(waiting, waits_in_vain) > 0) {
    }
    if (waiting.empty()) return;
    result.witness.emplace();
    for (const int e : execution.events()) result.witness->push_back(static_cast<EventNo>(e));
  });
  return result;
}

}  // namespace racecast::oracle
