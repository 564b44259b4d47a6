#include "analysis/wcp/cp_window.h"

#include "base/check.h"

namespace racecast::analysis {

using trace::EventKind;
using Kind = Scopes::Change::Kind;

CpWindow::CpWindow(std::span<const WindowEvent> events, const HeldAtStart& held) : events_(events) {
  for (const auto& [thread, scope] : held) begin_scope(thread, scope);
  for (std::size_t place = 0; place < events_.size(); ++place) add_event(place);
  for (const ThreadState& thread : threads_)
    for (const std::size_t open : thread.open_scopes)
      if (!thread.nodes.empty()) scopes_[open].last = thread.nodes.back();
  if (!any_edge_) return;  // nothing precedes anything, so rule (b) has nothing to start from
  do spread();
  while (apply_rule_b());
}

std::size_t CpWindow::begin_scope(ThreadId thread, const Scope& scope) {
  const std::size_t number = scopes_.size();
  CpScope& added = scopes_.emplace_back();
  added.lock = scope.lock;
  added.shared = scope.shared;
  added.thread = thread;
  scopes_of_[scope.lock].push_back(number);
  ThreadState& self = state(thread);
  self.open.push_back(scope);
  self.open_scopes.push_back(number);
  accesses_.begin(thread, scope.lock);
  return number;
}

void CpWindow::add_node(std::size_t place) {
  const WindowEvent& e = events_[place];
  ThreadState& self = state(e.event.thread);
  if (self.nodes.empty()) {
    present_.push_back(e.event.thread);
    for (const std::size_t open : self.open_scopes) scopes_[open].begin = e.time;
  }
  if (self.nodes.empty() || e.change.kind != Kind::None || !nodes_[self.nodes.back()].hb.is(e.hb) ||
      !nodes_[self.nodes.back()].must.is(e.must)) {
    Node& node = nodes_.emplace_back();
    node.thread = e.event.thread;
    node.time = e.time;
    node.must = e.must;
    node.hb = e.hb;
    if (!self.nodes.empty()) node.previous = self.nodes.back();
    add_must(node);
    self.nodes.push_back(nodes_.size() - 1);
  }
  node_of_.push_back(self.nodes.back());
}

// Rule (d). What must puts before it in the window, and all that is before that in hb.
void CpWindow::add_must(Node& node) {
  for (const ThreadId other : present_) {
    const model::Time known = node.must[other];
    if (other == node.thread || known == 0) continue;
    if (node.previous != kNowhere && nodes_[node.previous].must[other] == known) continue;
    if (const Node* const last = last_node(other, known)) any_edge_ |= absorb(node.before, {other, known, last->hb});
  }
}

void CpWindow::add_event(std::size_t place) {
  const WindowEvent& e = events_[place];
  const ThreadId thread = e.event.thread;
  add_node(place);
  ThreadState& self = state(thread);
  const auto rule_a = [&](const Scope& scope, const model::Stamp& release) {
    CpScope& later = scopes_[self.open_scopes[static_cast<std::size_t>(&scope - self.open.data())]];
    if (later.begins_here) any_edge_ |= absorb(later.into, release);
  };
  if (trace::is_access(e.event.kind)) {
    if (!self.open.empty()) accesses_.access(e.event, self.open, rule_a);
  } else if (e.change.kind == Kind::Began) {
    const std::size_t number = begin_scope(thread, e.change.scope);
    CpScope& scope = scopes_[number];
    scope.begin = e.time;
    scope.first = place;
    scope.begins_here = true;
    nodes_[self.nodes.back()].begins = number;
  } else if (e.change.kind == Kind::Ended) {
    const auto open = std::find_if(self.open.begin(), self.open.end(),
                                   [&](const Scope& scope) { return scope.lock == e.change.scope.lock; });
    CHECK(open != self.open.end(), "a scope ends in a window that was not open");
    const auto number = self.open_scopes.begin() + (open - self.open.begin());
    CpScope& scope = scopes_[*number];
    scope.last = self.nodes.back();
    scope.end = place;
    scope.release = {thread, e.time, e.hb};
    accesses_.end(thread, *open, scope.release);
    self.open.erase(open);
    self.open_scopes.erase(number);
  } else if (e.event.kind == EventKind::Alloc || e.event.kind == EventKind::Free) {
    if (e.event.kind == EventKind::Free) accesses_.free(e.event, self.open, rule_a);
    accesses_.forget(e.event);
  }
}

bool CpWindow::absorb(model::VectorClock& clock, const model::Stamp& stamp) {
  // Clocks here are closed under hb: who has an event has all that is before it.
  if (stamp.time <= clock[stamp.thread]) return false;
  clock.join(stamp.past.times());
  clock.raise(stamp.thread, stamp.time);
  return true;
}

const CpWindow::Node* CpWindow::last_node(ThreadId thread, model::Time time) const {
  const std::vector<std::size_t>& nodes = threads_[index(thread)].nodes;
  const auto after =
      std::partition_point(nodes.begin(), nodes.end(), [&](std::size_t n) { return nodes_[n].time <= time; });
  return after == nodes.begin() ? nullptr : &nodes_[*std::prev(after)];
}

// Rule (c): along hb, from every edge there is.
void CpWindow::spread() {
  for (Node& node : nodes_) {
    const Node* const previous = node.previous == kNowhere ? nullptr : &nodes_[node.previous];
    if (previous != nullptr) node.before.join(previous->before);
    for (const ThreadId other : present_) {
      const model::Time known = node.hb[other];
      if (other == node.thread || known == 0 || (previous != nullptr && previous->hb[other] == known)) continue;
      if (const Node* const last = last_node(other, known)) node.before.join(last->before);
    }
    if (node.begins != kNowhere) node.before.join(scopes_[node.begins].into);
  }
}

// Edges into the begin of `later` from those of the `earlier` scopes of its lock whose begin precedes something in it.
bool CpWindow::add_edges(CpScope& later, std::span<const std::size_t> earlier) {
  const model::VectorClock& before = nodes_[later.last].before;
  bool any = false;
  for (auto number = earlier.rbegin(); number != earlier.rend(); ++number) {
    const CpScope& scope = scopes_[*number];
    if ((scope.shared && later.shared) || scope.end > later.first || scope.begin > before[scope.thread]) continue;
    any |= absorb(later.into, scope.release);
    if (!scope.shared) break;  // all earlier ones ended before it began
  }
  return any;
}

bool CpWindow::apply_rule_b() {
  bool any = false;
  for (const auto& [lock, numbers] : scopes_of_)
    for (std::size_t i = 0; i < numbers.size(); ++i)
      if (CpScope& later = scopes_[numbers[i]]; later.begins_here) any |= add_edges(later, std::span(numbers).first(i));
  return any;
}

}  // namespace racecast::analysis
