// The order of `wcp` as a stream (Kini, Mathur, Viswanathan, PLDI 2017; docs/semantics.md, section 6), in linear time.
//
// Two clocks: hb, and that of ≺-predecessors (Order::Relay), which travels along the edges of hb (rule c) and into
// which the other rules put stamps of hb. The predecessors of an event are closed under hb, so one comparison tells
// whether a release is among them, and of releases that hb orders only the latest need be put in. scope_accesses.h does
// rule (a), at each access under a lock; scope_log.h rule (b), at each release of a scope; must_edges.h rule (d).
//
// Cost: three times that of hb for synchronisation; per access under a lock some look-ups. Memory: as for hb, what
// rule (a) keeps (bounded by granules and locks that met), and the logs of rule (b): the scopes that no later holder
// of their lock was found to be after by ≺. That is linear in the number of scopes where threads share a lock but no
// data, as in the paper.
#pragma once

#include <memory>
#include <vector>

#include "analysis/wcp/must_edges.h"
#include "analysis/wcp/scope_accesses.h"
#include "analysis/wcp/scope_log.h"
#include "analysis/wcp/scopes.h"
#include "base/hash.h"
#include "model/order/sync_clocks.h"

namespace racecast::analysis {

class WcpClocks {
 public:
  // As SyncClocks.
  WcpClocks(const trace::Definitions& definitions, bool has_missing);

  // Between the two, before() and clock() speak of the event.
  void enter(const trace::Event& e) {
    hb_.enter(e);
    relay_.enter(e);
    must_.enter(e, hb_, [&](const model::Stamp& start) { relay_.absorb(e.thread, start); });  // (d)
    if (!trace::is_access(e.kind))
      synchronise(e);
    else if (const auto open = scopes_.open(e.thread); !open.empty())
      accesses_.access(e, open,
                       [&](const Scope&, const model::Stamp& release) { relay_.absorb(e.thread, release); });  // (a)
  }
  void leave(const trace::Event& e) {
    hb_.leave(e);
    relay_.leave(e);
    must_.leave(e, hb_);
  }

  model::Time now(ThreadId thread) { return hb_.now(thread); }
  // Is the event of another thread with this time before the event that `thread` is at, by ≺?
  bool before(ThreadId other, model::Time time, ThreadId thread) { return relay_.before(other, time, thread); }
  // Of every other thread, how many of its events are before.
  const model::VectorClock& clock(ThreadId thread) { return relay_.clock(thread); }
  // In hb.
  model::Stamp stamp(ThreadId thread) { return hb_.stamp(thread); }

 private:
  struct Lock {
    ScopeLog exclusive;
    std::vector<std::pair<ThreadId, ScopeLog>> shared;
  };

  void synchronise(const trace::Event& e);
  void end_scope(ThreadId thread, const Scope& scope);

  model::SyncClocks hb_, relay_;
  MustEdges must_;
  Scopes scopes_;
  ScopeAccesses accesses_{&scopes_};
  HashMap<LockNo, std::unique_ptr<Lock>> locks_;
};

}  // namespace racecast::analysis
