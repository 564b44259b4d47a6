// The order of `cp` within one window of a trace (Smaragdakis et al., POPL 2012; docs/semantics.md, section 6).
//
// cp's rules order a release before the event that *began* a later scope, because of what happens in that scope only
// afterwards: no stream can do that, so cp looks at windows. Edges of hb go forward in the trace, so hb and must
// between two events of a window are the same in the window and in the whole trace, and come from the stream's clocks.
// Rules (a) and (b) put edges r → begin of s', and a ≺ e iff there is such an edge with a before or equal to r and the
// begin before or equal to e, in hb. So the predecessors of an event are a clock, computed at the events where hb's
// clock changes or a scope begins or ends, in trace order; rule (b) then looks for new edges, until there are none. Of
// each lock only the latest known scope matters, as in wcp.
//
// A scope that is open when the window starts begins there: its accesses before do not count. No edge leads to its
// begin, for no scope that it excludes ends in the window before it. Cost: rounds × (events that synchronise × threads
// of the window × clock size + scopes of a lock squared); a handful of rounds in practice.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "analysis/wcp/scope_accesses.h"
#include "analysis/wcp/scopes.h"
#include "base/hash.h"
#include "model/order/vector_clock.h"
#include "trace/event.h"

namespace racecast::analysis {

// An event, with what the stream knew of it.
struct WindowEvent {
  trace::Event event;
  std::uint64_t number = 0;
  model::Time time = 0;
  model::FrozenClock must, hb;  // what is before it; its own thread's component is not meant
  Scopes::Change change;
  bool racy = false;
};

using HeldAtStart = std::vector<std::pair<ThreadId, Scope>>;

class CpWindow {
 public:
  // Both must outlive it.
  CpWindow(std::span<const WindowEvent> events, const HeldAtStart& held);

  // Is the event at place a before that at place b, of another thread, by ≺? a < b.
  bool before(std::size_t a, std::size_t b) const {
    const ThreadId thread = events_[a].event.thread;
    return events_[a].time <= nodes_[node_of_[b]].before[thread];
  }

 private:
  static constexpr std::size_t kNowhere = ~std::size_t{0};
  // An event at which a thread's clock may change.
  struct Node {
    ThreadId thread{};
    model::Time time = 0;
    model::FrozenClock must, hb;
    std::size_t previous = kNowhere;  // of its thread
    std::size_t begins = kNowhere;    // scope
    model::VectorClock before;        // ≺-predecessors
  };
  struct CpScope {
    LockNo lock = 0;
    bool shared = false;
    ThreadId thread{};
    model::Time begin = 0;        // of its first event in the window
    std::size_t first = 0;        // place of the event that began it; 0 also if that was before the window
    bool begins_here = false;     // it began in the window
    std::size_t last = kNowhere;  // node of its last event in the window
    std::size_t end = kNowhere;   // place of its release
    model::Stamp release;
    model::VectorClock into;  // ≺-predecessors of its begin, by rules (a) and (b) themselves
  };
  struct ThreadState {
    std::vector<std::size_t> nodes;
    std::vector<Scope> open;
    std::vector<std::size_t> open_scopes;  // in the same order: places in scopes_
  };

  ThreadState& state(ThreadId thread) {
    if (index(thread) >= threads_.size()) threads_.resize(index(thread) + 1);
    return threads_[index(thread)];
  }
  std::size_t begin_scope(ThreadId thread, const Scope& scope);
  void add_node(std::size_t place);
  // The last node of a thread up to this time of it; null: none in the window.
  const Node* last_node(ThreadId thread, model::Time time) const;
  void add_must(Node& node);
  void add_event(std::size_t place);
  static bool absorb(model::VectorClock& clock, const model::Stamp& stamp);
  void spread();
  bool add_edges(CpScope& later, std::span<const std::size_t> earlier);
  bool apply_rule_b();

  const std::span<const WindowEvent> events_;
  std::vector<Node> nodes_;
  std::vector<std::size_t> node_of_;  // by place: the last node of its thread up to there
  std::vector<CpScope> scopes_;
  HashMap<LockNo, std::vector<std::size_t>> scopes_of_;  // in the order in which they began
  std::vector<ThreadState> threads_;
  std::vector<ThreadId> present_;  // threads with a node
  ScopeAccesses accesses_{nullptr};
  bool any_edge_ = false;
};

}  // namespace racecast::analysis
