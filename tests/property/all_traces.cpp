#include "property/all_traces.h"

#include <array>
#include <optional>
#include <string>

#include "trace/state.h"

namespace racecast::property {

using trace::Event;
using trace::EventKind;

namespace {

constexpr int kThreads = 3, kVariables = 2, kLocks = 2;
constexpr int kPreamble = 3;
constexpr std::uint64_t kVariableBase = 0x1000, kLockBase = 0x2000, kStride = 64;

class Enumeration {
 public:
  Enumeration(Family family, int max_events, const std::function<void(const trace::Trace&)>& visit)
      : valued_(family == Family::Valued),
        stateful_(family == Family::Stateful),
        unchecked_(family == Family::Unchecked),
        freed_(family == Family::Freed),
        threads_(stateful_ ? 2 : kThreads),
        variables_(stateful_ ? 1 : kVariables),
        locks_(stateful_ || freed_ ? 1 : kLocks),
        max_events_(max_events + (freed_ ? kPreamble : 0)),
        visit_(visit) {
    trace::Definitions& definitions = trace_.definitions;
    definitions.threads = {"T0", "T1", "T2"};
    for (int v = 0; v < kVariables; ++v)
      definitions.symbols.push_back({kVariableBase + kStride * v, 8, 0, std::string(1, static_cast<char>('x' + v))});
    for (int l = 0; l < kLocks; ++l)
      definitions.symbols.push_back({kLockBase + kStride * l, 8, 0, std::string(1, static_cast<char>('l' + l))});
    for (int e = 0; e < max_events_; ++e) definitions.locations.push_back({.label = std::to_string(e)});
    if (stateful_) definitions.symbols.push_back({trace::kState, 1, 0, "s"});
    definitions.branches = valued_ || stateful_;
    held_by_.fill(-1);
  }

  std::uint64_t run() {
    if (!freed_) {
      extend(0, 0, 0);
      return count_;
    }
    Event e{.kind = EventKind::Alloc, .thread = id(0), .size = 8, .address = kVariableBase};
    with(e, [&] {
      with({.kind = EventKind::Fork, .thread = id(0), .aux = 1},
           [&] { with({.kind = EventKind::Fork, .thread = id(0), .aux = 2}, [&] { extend(1, kVariables, 0); }); });
    });
    return count_;
  }

 private:
  // `threads`, `variables` and `locks` are how many have appeared so far.
  void extend(int threads, int variables, int locks) {
    if (!trace_.events.empty()) {
      ++count_;
      visit_(trace_);
    }
    if (static_cast<int>(trace_.events.size()) == max_events_) return;
    for (int t = freed_ ? 1 : 0; t < std::min(threads + 1, threads_); ++t) {
      const int seen = std::max(threads, t + 1);
      if (valued_ || stateful_)
        with({.kind = EventKind::Branch, .thread = id(t)}, [&] { extend(seen, variables, locks); });
      if (stateful_) state(t, [&] { extend(seen, variables, locks); });
      if (freed_ && !dead_) {
        dead_ = true;
        with({.kind = EventKind::Free, .thread = id(t), .size = 8, .address = kVariableBase},
             [&] { extend(seen, variables, locks); });
        dead_ = false;
      }
      for (int v = dead_ ? 1 : 0; v < std::min(variables + 1, variables_); ++v)
        access(t, v, [&] { extend(seen, std::max(variables, v + 1), locks); });
      for (int l = 0; l < std::min(locks + 1, locks_); ++l) {
        const int holder = held_by_[l];
        if (holder != -1 && holder != t) continue;
        const EventKind kind = holder == -1 ? EventKind::Lock : EventKind::Unlock;
        held_by_[l] = holder == -1 ? t : -1;
        with({.kind = kind, .thread = id(t), .address = kLockBase + kStride * l},
             [&] { extend(seen, variables, std::max(locks, l + 1)); });
        held_by_[l] = holder;
      }
    }
  }

  template <typename Rest>
  void access(int t, int v, const Rest& rest) {
    Event e{.kind = EventKind::Read, .thread = id(t), .size = 8, .address = kVariableBase + kStride * v};
    if (!valued_) {
      with(e, rest);
      e.kind = EventKind::Write;
      with(e, rest);
      if (!unchecked_) return;
      e.flags = trace::kUnchecked;
      with(e, rest);
      e.kind = EventKind::Read;
      with(e, rest);
      return;
    }
    const std::optional<std::uint64_t> holds = holds_[v];
    // Whether an address is computed matters only after a read of the same thread.
    const bool after_read = reads_of_[t] > 0;
    for (int computed = 0; computed <= (after_read ? 1 : 0); ++computed) {
      e.flags = static_cast<trace::Flags>(trace::kHasValue | (computed != 0 ? trace::kComputed : 0));
      for (std::uint64_t value = 0; value < 2; ++value) {
        e.value = value;
        holds_[v] = value;
        e.kind = EventKind::Read;
        ++reads_of_[t];
        if (!holds || *holds == value) with(e, rest);
        --reads_of_[t];
        e.kind = EventKind::Write;
        with(e, rest);
        holds_[v] = holds;
      }
    }
  }

  template <typename Rest>
  void state(int t, const Rest& rest) {
    Event of;
    of.thread = id(t);
    with(trace::state_read(of, 0), rest);
    with(trace::append(of, 0), rest);
  }

  template <typename Rest>
  void with(Event e, const Rest& rest) {
    e.location = static_cast<LocationId>(trace_.events.size());
    trace_.events.push_back(e);
    rest();
    trace_.events.pop_back();
  }

  static ThreadId id(int t) { return static_cast<ThreadId>(t); }

  const bool valued_, stateful_, unchecked_, freed_;
  const int threads_, variables_, locks_;
  const int max_events_;
  const std::function<void(const trace::Trace&)>& visit_;
  trace::Trace trace_;
  std::array<int, kLocks> held_by_{};
  std::array<std::optional<std::uint64_t>, kVariables> holds_;
  std::array<int, kThreads> reads_of_{};
  bool dead_ = false;  // the first variable was an object, and is gone
  std::uint64_t count_ = 0;
};

}  // namespace

std::uint64_t for_all_traces(Family family, int max_events, const std::function<void(const trace::Trace&)>& visit) {
  return Enumeration(family, max_events, visit).run();
}

}  // namespace racecast::property
