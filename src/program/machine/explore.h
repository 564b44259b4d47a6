// All schedules of a Program: depth-first over Machine states, each visited once. Finds every pair of conflicting
// accesses that are both next in some reachable state: the analysis `all`.
//
// Cost: one copy of the state per step and 16 bytes per visited state. The bounds are stated and `complete` is false
// when one was hit: what was found is true then, what was not found is unknown.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "program/machine/machine.h"

namespace racecast::program {

struct ExploreLimits {
  std::uint64_t max_states = 5'000'000;
  std::uint64_t max_depth = 1'000'000;
};

struct ExploredRace {
  InstrId a{}, b{};                  // a <= b
  std::vector<ThreadId> schedule;    // steps from the start to a state where both are next
  std::vector<std::uint32_t> wakes;  // for each step: which sleeper a Notify woke (Machine::step), 0 for all others
};

struct Exploration {
  std::vector<ExploredRace> races;  // one per pair of instructions, sorted by (a, b)
  std::uint64_t states = 0;
  std::uint64_t deadlocks = 0;  // states where threads are left and none is enabled
  bool complete = true;
  std::string limit;  // which bound was hit
};

// `progress` is called now and then with the number of states so far.
Result<Exploration> explore(std::shared_ptr<const Program> program, const ExploreLimits& limits = {},
                            const std::function<void(std::uint64_t)>& progress = {});

}  // namespace racecast::program
