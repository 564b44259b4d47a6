#include "property/random_scopes.h"

#include <algorithm>
#include <vector>

#include "property/random_litmus.h"

namespace racecast::property {

using trace::Event;
using trace::EventKind;

namespace {

constexpr std::uint64_t kData = 0x1000, kLocks = 0x3000;

class Maker {
 public:
  Maker(int threads, int locks)
      : held_(static_cast<std::size_t>(threads)), holder_(static_cast<std::size_t>(locks), -1) {
    trace_.definitions.branches = false;
    for (int t = 0; t < threads; ++t) trace_.definitions.threads.push_back("T" + std::to_string(t));
    for (int l = 0; l < locks; ++l)
      trace_.definitions.symbols.push_back(
          {kLocks + 16 * static_cast<std::uint64_t>(l), 8, 0, std::string(1, static_cast<char>('a' + l))});
    for (int v = 0; v < 8; ++v)
      trace_.definitions.symbols.push_back(
          {kData + 8 * static_cast<std::uint64_t>(v), 8, 0, std::string(1, static_cast<char>('s' + v))});
  }

  void access(int t, bool writes, int variable) {
    Event e;
    e.kind = writes ? EventKind::Write : EventKind::Read;
    e.address = kData + 8 * static_cast<std::uint64_t>(variable);
    e.size = 8;
    add(t, e);
  }
  bool lock(int t, int l) {
    if (holder_[static_cast<std::size_t>(l)] != -1) return false;
    holder_[static_cast<std::size_t>(l)] = t;
    held_[static_cast<std::size_t>(t)].push_back(l);
    on_lock(t, EventKind::Lock, l);
    return true;
  }
  void unlock(int t, int l) {
    holder_[static_cast<std::size_t>(l)] = -1;
    std::erase(held_[static_cast<std::size_t>(t)], l);
    on_lock(t, EventKind::Unlock, l);
  }
  const std::vector<int>& held(int t) const { return held_[static_cast<std::size_t>(t)]; }
  std::size_t size() const { return trace_.events.size(); }
  trace::Trace take() {
    for (std::size_t i = 0; i < trace_.events.size(); ++i) {
      trace_.events[i].location = static_cast<LocationId>(i);
      trace_.definitions.locations.push_back({.label = std::to_string(i)});
    }
    return std::move(trace_);
  }

 private:
  void on_lock(int t, EventKind kind, int l) {
    Event e;
    e.kind = kind;
    e.address = kLocks + 16 * static_cast<std::uint64_t>(l);
    add(t, e);
  }
  void add(int t, Event e) {
    e.thread = static_cast<ThreadId>(t);
    trace_.events.push_back(e);
  }

  trace::Trace trace_;
  std::vector<std::vector<int>> held_;
  std::vector<int> holder_;
};

}  // namespace

trace::Trace random_scopes(std::uint64_t seed, int max_events) {
  Random random(seed);
  const int threads = 3 + random.below(2), locks = 2 + random.below(2), variables = 2 + random.below(3);
  Maker maker(threads, locks);
  int t = 0;
  for (int tries = 0; tries < 40 * max_events && static_cast<int>(maker.size()) < max_events; ++tries) {
    if (random.chance(35)) t = random.below(threads);
    const std::vector<int>& held = maker.held(t);
    if (random.chance(45)) {
      if (!held.empty() && random.chance(55))
        maker.unlock(t, held[static_cast<std::size_t>(random.below(static_cast<int>(held.size())))]);
      else
        maker.lock(t, random.below(locks));
    } else {
      maker.access(t, random.chance(50), random.below(variables));
    }
  }
  for (int u = 0; u < threads; ++u)
    while (!maker.held(u).empty()) maker.unlock(u, maker.held(u).back());
  return maker.take();
}

trace::Trace scopes_without_a_way(std::uint64_t seed) {
  // tests/litmus/nondet_choices.litmus says what it is about.
  enum Lock { A, B, B2, P, P2 };
  enum Variable { X, S, S2, U, U2, V, F2, F3 };
  enum Kind { Take, Give, Read, Write };
  struct Step {
    int thread;
    Kind kind;
    int what;
  };
  constexpr Step steps[] = {{2, Take, P2},  {2, Write, U2}, {2, Take, B2}, {2, Give, P2}, {2, Take, P},   {2, Write, U},
                            {2, Take, B},   {2, Give, P},   {1, Take, P},  {1, Write, S}, {1, Take, A},   {1, Write, V},
                            {2, Read, V},   {2, Give, B},   {2, Write, X}, {2, Give, B2}, {2, Write, F3}, {0, Take, P2},
                            {0, Write, S2}, {1, Take, B2},  {1, Read, S2}, {1, Give, B2}, {1, Read, U2},  {1, Give, A},
                            {1, Give, P},   {1, Write, F2}, {0, Take, A},  {0, Give, P2}, {0, Write, X},  {0, Take, B},
                            {0, Read, S},   {0, Give, B},   {0, Read, U},  {0, Give, A},  {0, Read, F2},  {0, Read, F3},
                            {0, Read, X}};
  Random random(seed);
  Maker maker(3, 5);
  for (const Step& step : steps) {
    // Something else may be read or written at any time; that may open a way, or close one.
    if (seed % 4 != 0 && random.chance(5)) maker.access(random.below(3), random.chance(50), random.below(8));
    switch (step.kind) {
      case Take: maker.lock(step.thread, step.what); break;
      case Give: maker.unlock(step.thread, step.what); break;
      case Read: maker.access(step.thread, false, step.what); break;
      case Write: maker.access(step.thread, true, step.what); break;
    }
  }
  return maker.take();
}

}  // namespace racecast::property
