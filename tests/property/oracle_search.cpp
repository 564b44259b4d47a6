// All correct reorderings of a trace, and the races among them. Depth-first; an execution whose key() was seen has the
// same future as the one that was seen, so it is not followed again.
#include <unordered_set>

#include "property/oracle.h"

namespace racecast::oracle {

using trace::EventKind;

namespace {

// An event that touches nothing that another thread could look at, outside missing code: once it may be appended, doing
// it now instead of later takes away no reordering (up to the place of this event), and it can only bring the thread
// nearer to its next access.
bool concerns_nobody(const Facts& facts, int e) {
  if (!facts.inside[e].empty()) return false;
  switch (facts.event(e).kind) {
    case EventKind::ThreadBegin:
    case EventKind::ThreadEnd:
    case EventKind::Branch:
    case EventKind::Call:
    case EventKind::Return:
    case EventKind::Marker:
    case EventKind::Fence:
    case EventKind::Alloc:
    case EventKind::Fork: return true;
    default: return false;
  }
}

class Dfs {
 public:
  Dfs(const Facts& facts, const Limits& limits, const std::function<void(const Execution&)>& visit)
      : facts_(facts), limits_(limits), visit_(visit) {}

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
      if (e < 0 || !execution.broken_by(e).empty()) continue;
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
        if (e < 0 || !concerns_nobody(facts_, e) || !execution.broken_by(e).empty()) continue;
        execution.append(e);
        moved = true;
      }
    }
  }

  const Facts& facts_;
  const Limits& limits_;
  const std::function<void(const Execution&)>& visit_;
  std::unordered_set<std::string> seen_;
  Search search_;
};

}  // namespace

Search for_all_reorderings(const Facts& facts, const Limits& limits,
                           const std::function<void(const Execution&)>& visit) {
  return Dfs(facts, limits, visit).run();
}

std::set<Pair> Races::pairs() const {
  std::set<Pair> result;
  for (const auto& [pair, witness] : witnesses) result.insert(pair);
  return result;
}

Races races(const trace::Trace& trace, const Limits& limits) {
  const Facts facts(trace);
  Races result;
  const int threads = static_cast<int>(facts.of_thread.size());
  result.search = for_all_reorderings(facts, limits, [&](const Execution& execution) {
    for (int s = 0; s < threads; ++s)
      for (int t = s + 1; t < threads; ++t) {
        const int a = std::min(execution.next_of(s), execution.next_of(t));
        const int b = std::max(execution.next_of(s), execution.next_of(t));
        if (a < 0 || !facts.conflict(a, b)) continue;
        const Pair pair{static_cast<EventNo>(a), static_cast<EventNo>(b)};
        if (result.witnesses.contains(pair)) continue;
        if (!execution.broken_by_next(a).empty() || !execution.broken_by_next(b).empty()) continue;
        std::vector<EventNo>& witness = result.witnesses[pair];
        for (const int e : execution.events()) witness.push_back(static_cast<EventNo>(e));
      }
  });
  return result;
}

}  // namespace racecast::oracle
