// Scopes of locks, and what is defined by them in docs/semantics.md, section 6: wcp and cp as fixpoints of their rules
// (a) to (d) over a table of all pairs of events, and hybrid. Rules are applied until none adds anything.
#include <algorithm>
#include <map>

#include "base/check.h"
#include "property/oracle_order.h"

namespace racecast::oracle {

using trace::Event;
using trace::EventKind;

std::vector<Scope> scopes_of(const Facts& facts) {
  struct Hold {
    int depth = 0;
    int slept_depth = 0;  // when a wait gave it back
    std::size_t scope = 0;
  };
  std::vector<Scope> scopes;
  std::map<std::pair<int, int>, Hold> holds;  // (thread, lock)
  const auto take = [&](int e, int lock, int depth, bool shared) {
    Hold& hold = holds[{facts.thread_of(e), lock}];
    if (hold.depth == 0) {
      hold.scope = scopes.size();
      scopes.push_back({lock, facts.thread_of(e), shared, e, -1, {}});
    }
    hold.depth += depth;
  };
  const auto give_back = [&](int e, int lock, bool altogether) {
    Hold& hold = holds[{facts.thread_of(e), lock}];
    hold.slept_depth = hold.depth;
    hold.depth = altogether ? 0 : hold.depth - 1;
    if (hold.depth == 0) scopes[hold.scope].end = e;
  };
  for (int e = 0; e < facts.size(); ++e) {
    const Event& event = facts.event(e);
    const int object = facts.object[e];
    const bool failed = event.has(trace::kFailed);
    switch (event.kind) {
      case EventKind::Lock:
      case EventKind::RdLock:
      case EventKind::WrLock:
        if (!failed) take(e, object, 1, event.kind == EventKind::RdLock);
        break;
      case EventKind::Unlock:
      case EventKind::RwUnlock: give_back(e, object, false); break;
      case EventKind::Wait: give_back(e, facts.mutex[e], true); break;
      case EventKind::Wake:
        take(e, facts.mutex[e], holds[{facts.thread_of(e), facts.mutex[e]}].slept_depth, false);
        break;
      default: break;
    }
  }
  for (Scope& scope : scopes)
    for (const int e : facts.of_thread[scope.thread])
      if (e >= scope.begin && (scope.end < 0 || e <= scope.end)) scope.events.push_back(e);
  return scopes;
}

bool share_and_write(const Facts& facts, int a, int b) {
  const auto writes = [&](int e) { return trace::writes(facts.event(e)) || facts.event(e).kind == EventKind::Free; };
  if (!writes(a) && !writes(b)) return false;
  if (trace::is_append(facts.event(a)) && trace::is_append(facts.event(b))) return false;
  for (int cell = 0; cell < static_cast<int>(facts.cells.size()); ++cell)
    if (facts.covers(a, cell) && facts.covers(b, cell)) return true;
  return false;
}

namespace {

enum class Rule { Wcp, Cp };

// Does s end before t begins, and do they exclude each other?
bool one_after_the_other(const Scope& s, const Scope& t) {
  return exclude_each_other(s, t) && s.end >= 0 && s.end < t.begin;
}

Relation precedes(const Facts& facts, Rule rule) {
  const Relation hb = Order(facts, Order::Locks::Count).closure();
  const std::vector<Scope> scopes = scopes_of(facts);
  Relation before(facts.size());

  const auto for_scopes = [&](const auto& use) {
    for (const Scope& s : scopes)
      for (const Scope& t : scopes)
        if (one_after_the_other(s, t))
          for (const int a : s.events)
            for (const int b : t.events) use(s, t, a, b);
  };
  const auto rule_a = [&] {
    for_scopes([&](const Scope& s, const Scope& t, int a, int b) {
      if (facts.thread_of(a) == facts.thread_of(b) || !share_and_write(facts, a, b)) return;
      before.add(s.end, rule == Rule::Wcp ? b : t.begin);
    });
  };
  const auto rule_b = [&] {
    for_scopes([&](const Scope& s, const Scope& t, int a, int b) {
      if (!before(a, b)) return;
      if (rule == Rule::Cp) before.add(s.end, t.begin);
      if (rule == Rule::Wcp && t.end >= 0) before.add(s.end, t.end);
    });
  };
  const auto rule_c = [&] {
    for (int a = 0; a < facts.size(); ++a)
      for (int b = 0; b < facts.size(); ++b) {
        if (before(a, b)) before.add_row(a, hb, b);
        if (hb(a, b)) before.add_row(a, before, b);
      }
  };

  const auto rule_d = [&] {
    const Relation must = Order(facts, Order::Locks::Ignored).closure();
    for (int a = 0; a < facts.size(); ++a)
      for (int b = 0; b < facts.size(); ++b)
        if (must(a, b) && facts.thread_of(a) != facts.thread_of(b)) before.add(a, b);
  };

  rule_a();
  rule_d();
  for (Relation last = before;; last = before) {
    rule_b();
    rule_c();
    if (before == last) return before;
  }
}

// The conflicting pairs of which `ordered` does not hold.
template <typename Ordered>
std::set<Pair> unordered(const Facts& facts, const Ordered& ordered) {
  std::set<Pair> result;
  for (int b = 0; b < facts.size(); ++b)
    for (int a = 0; a < b; ++a)
      if (facts.conflict(a, b) && !ordered(a, b)) result.insert({static_cast<EventNo>(a), static_cast<EventNo>(b)});
  return result;
}

}  // namespace

Relation order_of(std::string_view analysis, const Facts& facts) {
  if (analysis == "hb") return Order(facts, Order::Locks::Count).closure();
  CHECK(analysis == "wcp" || analysis == "cp", "{} is not by an order", analysis);
  Relation order = precedes(facts, analysis == "wcp" ? Rule::Wcp : Rule::Cp);
  order.add(Order(facts, Order::Locks::Ignored).closure());
  return order;
}

std::set<Pair> wcp_pairs(const trace::Trace& trace) {
  const Facts facts(trace);
  return unordered(facts, order_of("wcp", facts));
}

std::set<Pair> cp_pairs(const trace::Trace& trace) {
  const Facts facts(trace);
  return unordered(facts, order_of("cp", facts));
}

std::set<Pair> hybrid_pairs(const trace::Trace& trace) {
  const Facts facts(trace);
  const std::vector<Scope> scopes = scopes_of(facts);
  const auto contains = [](const Scope& scope, int e) {
    return std::find(scope.events.begin(), scope.events.end(), e) != scope.events.end();
  };
  const Relation must = Order(facts, Order::Locks::Ignored).closure();
  return unordered(facts, [&](int a, int b) {
    if (must(a, b)) return true;
    for (const Scope& s : scopes)
      for (const Scope& t : scopes)
        if (contains(s, a) && contains(t, b) && exclude_each_other(s, t)) return true;
    return false;
  });
}

}  // namespace racecast::oracle
