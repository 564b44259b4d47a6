// Rule (d) of wcp (docs/semantics.md, section 6): what must orders before an event of another thread precedes it, and
// so does all that hb has before that. A thread that learns of an event by must takes in that event's clock of hb.
//
// The clocks of hb of all events that an edge of must can start from are kept, 16 bytes each and the clocks themselves:
// forks, posts, notifications, arrivals, releases of atomics; in a trace with missing code, all events. A trace that
// has only locks has none of them but the forks.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "base/check.h"
#include "model/order/sync_clocks.h"

namespace racecast::analysis {

class MustEdges {
 public:
  MustEdges(const trace::Definitions& definitions, bool has_missing)
      : must_(model::Order::Must, definitions, has_missing), every_event_(has_missing) {}

  // Both after those of `hb`. `absorb` is given what the event newly comes after.
  template <typename Absorb>
  void enter(const trace::Event& e, model::SyncClocks& hb, Absorb&& absorb) {
    must_.enter(e);
    // Of a lane that gets another thread, the end of the one before.
    if (e.kind == trace::EventKind::Fork && hb.now(e.child()) != 0)
      state(e.child()).starts.emplace_back(hb.now(e.child()), hb.stamp(e.child()).past);
    ThreadState& self = state(e.thread);
    if (self.version == must_.version(e.thread)) return;
    self.version = must_.version(e.thread);
    const std::span<const model::Time> now = must_.clock(e.thread).times();
    for (std::uint32_t i = 0; i < now.size(); ++i) {
      const ThreadId other{i};
      if (other == e.thread || now[i] <= self.known[other]) continue;
      self.known.set(other, now[i]);
      absorb(model::Stamp{other, now[i], past_of(other, now[i], hb)});
    }
  }
  void leave(const trace::Event& e, model::SyncClocks& hb) {
    must_.leave(e);
    if (every_event_ || may_start_edge(e))
      state(e.thread).starts.emplace_back(hb.now(e.thread), hb.stamp(e.thread).past);
  }

 private:
  struct ThreadState {
    std::uint64_t version = 0;
    model::VectorClock known;                                        // by must, when it last learnt of something
    std::vector<std::pair<model::Time, model::FrozenClock>> starts;  // events that edges can start from
  };

  static bool may_start_edge(const trace::Event& e) {
    using trace::EventKind;
    switch (e.kind) {
      case EventKind::Fork:
      case EventKind::Notify:
      case EventKind::NotifyAll:
      case EventKind::SemPost:
      case EventKind::BarrierArrive:
      case EventKind::OnceDone: return true;
      case EventKind::AtomicWrite:
      case EventKind::AtomicRmw:
      case EventKind::Fence: return releases(e.order);
      default: return false;
    }
  }
  ThreadState& state(ThreadId thread) {
    if (index(thread) >= threads_.size()) threads_.resize(index(thread) + 1);
    return threads_[index(thread)];
  }
  model::FrozenClock past_of(ThreadId thread, model::Time time, model::SyncClocks& hb) {
    const auto& starts = threads_[index(thread)].starts;
    const auto found = std::lower_bound(starts.begin(), starts.end(), time,
                                        [](const auto& start, model::Time wanted) { return start.first < wanted; });
    if (found != starts.end() && found->first == time) return found->second;
    CHECK(hb.now(thread) == time, "must knows event {} of thread {}, of which no edge starts", time, index(thread));
    return hb.stamp(thread).past;  // its last, and it was joined
  }

  model::SyncClocks must_;
  const bool every_event_;
  std::vector<ThreadState> threads_;
};

}  // namespace racecast::analysis
