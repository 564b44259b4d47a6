// Lanes against clocks with a component for every thread: on random runs in which threads fork, join and synchronise,
// every order says the same of every two events, and a clock of lanes counts the same events of every thread.
#include "model/order/lanes.h"

#include <gtest/gtest.h>

#include <random>

#include "model/order/fork_join.h"
#include "model/order/sync_clocks.h"
#include "trace/trace.h"

namespace racecast::model {
namespace {

using trace::Event;
using trace::EventKind;

class RandomRun {
 public:
  explicit RandomRun(std::uint64_t seed) : random_(seed) {
    threads_.emplace_back();
    for (int i = 0; i < 400; ++i) step();
  }
  const std::vector<Event>& events() const { return events_; }
  std::size_t threads() const { return threads_.size(); }

 private:
  struct Thread {
    bool ended = false;
    std::vector<std::uint32_t> children;  // not joined
    std::vector<std::uint64_t> held;
  };

  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  Event& add(std::uint32_t thread, EventKind kind, std::uint64_t address = 0) {
    Event& e = events_.emplace_back();
    e.kind = kind;
    e.thread = ThreadId{thread};
    e.address = address;
    e.size = trace::is_access(kind) ? 8 : 0;
    return e;
  }
  void step() {
    const auto t = static_cast<std::uint32_t>(below(threads_.size()));
    if (threads_[t].ended) return;
    switch (below(9)) {
      case 0:
        if (threads_.size() == 40) break;
        add(t, EventKind::Fork).aux = threads_.size();
        threads_[t].children.push_back(static_cast<std::uint32_t>(threads_.size()));
        threads_.emplace_back();
        break;
      case 1:
      case 2: join(t); break;
      case 3: {
        const std::uint64_t lock = 0x100 + below(3);
        for (const Thread& other : threads_)
          if (std::ranges::find(other.held, lock) != other.held.end()) return;
        add(t, EventKind::Lock, lock);
        threads_[t].held.push_back(lock);
        break;
      }
      case 4:
        if (threads_[t].held.empty()) break;
        add(t, EventKind::Unlock, threads_[t].held.back());
        threads_[t].held.pop_back();
        break;
      case 5: add(t, EventKind::SemPost, 0x200); break;
      case 6: {
        Event& e = add(t, below(2) == 0 ? EventKind::AtomicWrite : EventKind::AtomicRead, 0x300 + 8 * below(3));
        const MemoryOrder orders[] = {MemoryOrder::Relaxed, MemoryOrder::AcqRel};
        e.order = orders[below(2)];
        break;
      }
      case 7: add(t, EventKind::Fence).order = MemoryOrder::AcqRel; break;
      default: add(t, below(2) == 0 ? EventKind::Write : EventKind::Read, 0x400 + 8 * below(4)); break;
    }
  }
  // Joins one of its children, which ends now; sometimes with a lock in its hands.
  void join(std::uint32_t t) {
    std::vector<std::uint32_t>& children = threads_[t].children;
    if (children.empty()) return;
    const std::uint32_t child = children[below(children.size())];
    if (!threads_[child].children.empty() && below(2) == 0) return join(child);
    if (!threads_[child].held.empty() && below(4) != 0) return;
    std::erase(children, child);
    threads_[child].ended = true;
    add(child, EventKind::ThreadEnd);
    add(t, EventKind::Join).aux = child;
  }

  std::mt19937_64 random_;
  std::vector<Thread> threads_;
  std::vector<Event> events_;
};

TEST(Lanes, AreChainsOfEveryOrder) {
  std::size_t threads = 0, lanes = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const RandomRun run(seed);
    const trace::Definitions definitions;
    for (const Order order : {Order::Hb, Order::Shb, Order::Must, Order::Kept}) {
      SyncClocks own(order, definitions, false), shared(order, definitions, false);
      Lanes names;
      std::vector<std::pair<EventAt, EventAt>> seen;  // as one of its thread, as one of its lane
      std::size_t used = 0;
      for (const Event& recorded : run.events()) {
        const Event e = names.rename(recorded);
        own.enter(recorded);
        shared.enter(e);
        const EventAt at{recorded.thread, own.now(recorded.thread)}, in_lane{e.thread, shared.now(e.thread)};
        ASSERT_EQ(names.recorded(in_lane), at);
        for (const auto& [earlier, lane] : seen) {
          const bool before = earlier.thread == at.thread || own.before(earlier.thread, earlier.time, at.thread);
          ASSERT_EQ(lane.thread == in_lane.thread || shared.before(lane.thread, lane.time, in_lane.thread), before);
          ASSERT_EQ(names.recorded(lane), earlier);
        }
        const std::vector<Time> counts = names.counts(shared.clock(e.thread).times());
        for (std::uint32_t t = 0; t < run.threads(); ++t)
          ASSERT_EQ(t < counts.size() ? counts[t] : 0, own.clock(recorded.thread)[ThreadId{t}]) << "seed " << seed;
        own.leave(recorded);
        shared.leave(e);
        seen.emplace_back(at, in_lane);
        used = std::max(used, index(e.thread) + 1);
      }
      threads += run.threads();
      lanes += used;
    }
  }
  EXPECT_LT(lanes, threads * 3 / 4);  // some are shared
}

TEST(Lanes, KeepTheOrderOfForksAndJoins) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const RandomRun run(seed);
    const std::vector<Event>& events = run.events();
    const auto some = [&](EventNo join) { return (index(join) + seed) % 3 != 0; };
    const ForkJoinOrder all(events, run.threads()), those(events, run.threads(), some);
    for (const bool all_hold : {true, false}) {
      // By the definition: of each thread, a clock with a component for each.
      std::vector<VectorClock> clocks(run.threads());
      std::vector<EventAt> at;
      for (std::size_t b = 0; b < events.size(); ++b) {
        const Event& e = events[b];
        VectorClock& own = clocks[index(e.thread)];
        if (e.kind == EventKind::Join && (all_hold || some(EventNo{b}))) own.join(clocks[index(e.child())]);
        own.set(e.thread, own[e.thread] + 1);
        for (std::size_t a = 0; a < b; ++a)
          ASSERT_EQ((all_hold ? all : those).before(EventNo{a}, EventNo{b}), at[a].time <= own[at[a].thread])
              << "seed " << seed << ": " << a << ", " << b;
        at.push_back({e.thread, own[e.thread]});
        if (e.kind == EventKind::Fork) clocks[index(e.child())].join(own);
      }
    }
  }
}

}  // namespace
}  // namespace racecast::model
