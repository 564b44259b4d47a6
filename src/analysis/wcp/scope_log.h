// What rule (b) of wcp remembers (docs/semantics.md, section 6): the closed scopes of one lock that are totally ordered
// by hb, that is all exclusive ones, or the shared ones of one thread.
//
// What is ≺-before an event is closed under hb. So the scopes whose begin an event knows to be ≺-before are a prefix of
// the log, found by bisection, and the release of the last of them brings those of all others with it. Where an
// exclusive scope ends, the prefix that is known there can be dropped: every later scope of the lock is after this end
// in hb, and so knows it from the start. The paper keeps a queue for every lock and thread; here each scope is passed
// once, whoever passes it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/order/sync_clocks.h"
#include "model/order/vector_clock.h"

namespace racecast::analysis {

class ScopeLog {
 public:
  // The latest scope: when it began, and the stamp of its release in hb.
  void add(model::Time begin, model::Stamp release) { scopes_.push_back({begin, std::move(release)}); }

  // Puts the release of every scope whose begin `relay` knows before the event that `thread` is at. Returns whether
  // that was news.
  bool absorb_known(ThreadId thread, model::SyncClocks& relay) const {
    const auto end = end_of_known(thread, relay);
    if (end == begin()) return false;
    const model::Stamp& release = std::prev(end)->release;
    if (relay.before(release.thread, release.time, thread)) return false;
    relay.absorb(thread, release);
    return true;
  }

  // After absorb_known(), at the end of an exclusive scope.
  void drop_known(ThreadId thread, model::SyncClocks& relay) {
    dropped_ = static_cast<std::size_t>(end_of_known(thread, relay) - scopes_.begin());
    if (2 * dropped_ < scopes_.size()) return;
    scopes_.erase(scopes_.begin(), begin());
    dropped_ = 0;
  }

 private:
  struct Closed {
    model::Time begin = 0;
    model::Stamp release;
  };
  using Place = std::vector<Closed>::const_iterator;
  Place begin() const { return scopes_.begin() + static_cast<std::ptrdiff_t>(dropped_); }
  Place end_of_known(ThreadId thread, model::SyncClocks& relay) const {
    return std::partition_point(begin(), scopes_.end(), [&](const Closed& scope) {
      return relay.before(scope.release.thread, scope.begin, thread);
    });
  }

  std::vector<Closed> scopes_;
  std::size_t dropped_ = 0;  // at the front
};

}  // namespace racecast::analysis
