// Unexecuted branches (RECIPE, section IV; docs/path.md): where a thread of a recorded run came to a branch, the ways
// that it could take through the other side, as the events that would have been recorded there, up to where the sides
// join and the recorded path goes on.
//
// A way needs nothing of the schedule but its conditions: which addresses it accesses and how often it goes round a
// loop is certain, or it ends. So the ways of a thread do not depend on what other threads do.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "model/detour/branch_sides.h"
#include "trace/trace.h"

namespace racecast::model {

// One way through an unexecuted side. Positions are among the events of its thread.
struct Detour {
  std::size_t branch = 0;    // position of the branch
  std::uint64_t target = 0;  // that it takes now
  std::vector<trace::Event> events;
  std::optional<std::size_t> resume;  // where the recorded path goes on; nullopt: the thread stops after `events`
  SideStop stop = SideStop::None;     // if it stops: why
};

// What a thread does instead of what was recorded: its detours, one after the other.
struct ThreadPath {
  ThreadId thread{};
  std::vector<Detour> detours;  // at least one
};

struct DetourLimits {
  std::size_t most_ways = 32;       // through one side
  std::size_t most_events = 1'000;  // of one way
  std::size_t most_detours = 1;     // one after the other
  std::size_t most_paths = 64;      // of a thread
};

class DetourFinder {
 public:
  // bad_input: no program. `trace` must outlive it.
  static Result<DetourFinder> make(const trace::Trace& trace);
  DetourFinder(DetourFinder&&) noexcept;
  ~DetourFinder();

  // The paths of a thread. `wanted`: is the first detour at this branch (an event of the trace) to be looked at?
  std::vector<ThreadPath> paths(ThreadId thread, const DetourLimits& limits,
                                const std::function<bool(EventNo branch)>& wanted);

  // Sides that were looked at, and why those that were not, and ways that ended early, did; since the last reset.
  struct Counts {
    std::uint64_t sides = 0, ways = 0;
    std::uint64_t cut = 0, deeper = 0;  // by limits; deeper: by most_detours
    std::array<std::uint64_t, kSideStops> unmodelled{}, stopped{};
  };
  const Counts& counts() const;
  void reset_counts();
  // Why the other side of a branch is not modelled exactly; None: it is, or the event is no branch.
  SideStop unmodelled(EventNo branch);

 private:
  struct State;
  class Explorer;
  explicit DetourFinder(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace racecast::model
