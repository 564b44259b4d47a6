// The analyses of docs/semantics.md, section 6, that follow each location through the trace: fasttrack and lockset. And
// the oracle's answers by name.
#include <algorithm>
#include <string>

#include "base/check.h"
#include "property/oracle_order.h"

namespace racecast::oracle {

using trace::Event;
using trace::EventKind;

namespace {

Pair pair_of(int a, int b) {
  return {static_cast<EventNo>(a), static_cast<EventNo>(b)};
}

// One location of lockset.
struct Eraser {
  enum class State { Virgin, Exclusive, Shared, Modified };
  State state = State::Virgin;
  int owner = kNobody;        // of Exclusive
  std::set<int> locks;        // C: locks, by their index in Facts::objects; kAtomic
  std::vector<int> accesses;  // since it was virgin
};
constexpr int kAtomic = -1;  // the lock that all atomic accesses hold

std::set<int> locks_held(const Facts& facts, const std::vector<Scope>& scopes, int e) {
  std::set<int> held;
  for (const Scope& scope : scopes) {
    const bool here = std::find(scope.events.begin(), scope.events.end(), e) != scope.events.end();
    if (here && (!scope.shared || !trace::writes(facts.event(e)))) held.insert(scope.lock);
  }
  if (trace::is_atomic(facts.event(e).kind)) held.insert(kAtomic);
  return held;
}

// The access `e` to a location; returns whether it is reported.
bool step(const Facts& facts, Eraser& location, int e, const std::set<int>& held) {
  using State = Eraser::State;
  const int thread = facts.thread_of(e);
  const bool writes = trace::writes(facts.event(e));
  switch (location.state) {
    case State::Virgin:
      location.state = State::Exclusive;
      location.owner = thread;
      return false;
    case State::Exclusive:
      if (location.owner == thread) return false;
      location.locks = held;
      location.state = writes ? State::Modified : State::Shared;
      break;
    case State::Shared:
    case State::Modified:
      std::erase_if(location.locks, [&](int lock) { return !held.contains(lock); });
      if (writes) location.state = State::Modified;
      break;
  }
  return location.state == State::Modified && location.locks.empty();
}

}  // namespace

std::set<Pair> fasttrack_pairs(const trace::Trace& trace) {
  const Facts facts(trace);
  const Relation hb = Order(facts, Order::Locks::Count).closure();
  std::set<Pair> result;
  const auto first_race_on = [&](int cell) {
    for (int b = 0; b < facts.size(); ++b)
      for (int a = b - 1; a >= 0; --a)
        if (facts.covers(a, cell) && facts.covers(b, cell) && facts.conflict(a, b) && !hb(a, b)) {
          result.insert(pair_of(a, b));
          return;
        }
  };
  for (int cell = 0; cell < static_cast<int>(facts.cells.size()); ++cell) first_race_on(cell);
  return result;
}

std::set<Pair> lockset_pairs(const trace::Trace& trace) {
  const Facts facts(trace);
  const std::vector<Scope> scopes = scopes_of(facts);
  std::vector<Eraser> locations(facts.cells.size());
  std::set<Pair> result;
  for (int e = 0; e < facts.size(); ++e) {
    const Event& event = facts.event(e);
    if (event.kind == EventKind::Alloc || event.kind == EventKind::Free)
      for (std::size_t c = 0; c < facts.cells.size(); ++c)
        if (facts.cells[c].address >= event.address && facts.cells[c].address - event.address < event.size)
          locations[c] = {};
    if (event.has(trace::kUnchecked)) continue;
    const std::set<int> held = locks_held(facts, scopes, e);
    for (const Piece& piece : facts.pieces[e]) {
      Eraser& location = locations[piece.cell];
      if (step(facts, location, e, held)) {
        const auto other = std::find_if(location.accesses.rbegin(), location.accesses.rend(),
                                        [&](int a) { return facts.thread_of(a) != facts.thread_of(e); });
        CHECK(other != location.accesses.rend(), "event {} is reported without a partner", e);
        result.insert(pair_of(*other, e));
      }
      location.accesses.push_back(e);
    }
  }
  return result;
}

std::optional<std::set<Pair>> pairs_of(std::string_view analysis, const trace::Trace& trace, const Limits& limits) {
  if (analysis == "hb") return hb_pairs(trace);
  if (analysis == "shb") return shb_pairs(trace);
  if (analysis == "fasttrack") return fasttrack_pairs(trace);
  if (analysis == "hybrid") return hybrid_pairs(trace);
  if (analysis == "lockset") return lockset_pairs(trace);
  if (analysis == "wcp") return wcp_pairs(trace);
  if (analysis == "cp") return cp_pairs(trace);
  CHECK(analysis == "syncp", "the oracle knows no analysis {}", analysis);
  const Races races = syncp_races(trace, limits);
  if (!races.search.complete) return std::nullopt;
  return races.pairs();
}

std::set<EventNo> racy_events(const std::set<Pair>& pairs) {
  std::set<EventNo> result;
  for (const auto& [a, b] : pairs) result.insert(b);
  return result;
}

}  // namespace racecast::oracle
