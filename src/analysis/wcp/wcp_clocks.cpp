#include "analysis/wcp/wcp_clocks.h"

#include <algorithm>

namespace racecast::analysis {

using trace::EventKind;

WcpClocks::WcpClocks(const trace::Definitions& definitions, bool has_missing)
    : hb_(model::Order::Hb, definitions, has_missing),
      relay_(model::Order::Relay, definitions, has_missing),
      must_(definitions, has_missing) {}

void WcpClocks::synchronise(const trace::Event& e) {
  const Scopes::Change change = scopes_.on_event(e, hb_.now(e.thread));
  if (change.kind == Scopes::Change::Kind::Began) {
    accesses_.begin(e.thread, change.scope.lock);
  } else if (change.kind == Scopes::Change::Kind::Ended) {
    end_scope(e.thread, change.scope);
  } else if (e.kind == EventKind::Alloc || e.kind == EventKind::Free) {
    if (const auto open = scopes_.open(e.thread); e.kind == EventKind::Free && !open.empty())
      accesses_.free(e, open,
                     [&](const Scope&, const model::Stamp& release) { relay_.absorb(e.thread, release); });  // (a)
    for (const LockNo lock : scopes_.died()) locks_.erase(lock);
    accesses_.forget(e);
  }
}

void WcpClocks::end_scope(ThreadId thread, const Scope& scope) {
  const model::Stamp release = hb_.stamp(thread);
  accesses_.end(thread, scope, release);
  if (!scopes_.alive(scope.lock)) return;  // nobody can take it again
  std::unique_ptr<Lock>& lock = locks_[scope.lock];
  if (lock == nullptr) lock = std::make_unique<Lock>();

  // (b). A scope that excludes this one ended before it began.
  lock->exclusive.absorb_known(thread, relay_);
  if (scope.shared) {
    auto own = std::find_if(lock->shared.begin(), lock->shared.end(), [&](const auto& x) { return x.first == thread; });
    if (own == lock->shared.end()) own = lock->shared.insert(own, {thread, {}});
    own->second.add(scope.begin, release);
    return;
  }
  // Readers are not ordered among themselves: with the release of one may come the begin of another's scope.
  for (bool more = true; more;) {
    more = false;
    for (const auto& [reader, log] : lock->shared) more |= log.absorb_known(thread, relay_);
  }
  lock->exclusive.drop_known(thread, relay_);
  for (auto& [reader, log] : lock->shared) log.drop_known(thread, relay_);
  lock->exclusive.add(scope.begin, release);
}

}  // namespace racecast::analysis
