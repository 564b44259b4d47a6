// One run: under the schedule of a `run` line, or at random. See schedule.h.
//
// A label means its next execution from where the schedule has left its thread. A thread runs ahead of that: local
// statements after a step are done with it. So the place that the schedule has reached is kept apart from the thread's
// own, as a position in the labels that its last step completed (Machine::marks).
//
// A thread that runs alone and comes back to a state it was in can never go on by itself; it counts as blocked. The
// states of the first steps are remembered, so that a spin is cut off after its first round; of long runs only one
// state is kept, moved forward at powers of two (Brent), which finds any cycle later. The same watches the round-robin.
// A random run looks ahead now and then: never_ends().
#include "program/machine/schedule.h"

#include <tsl/robin_set.h>

#include "base/check.h"

namespace racecast::program {
namespace {

constexpr std::size_t kRemembered = 65'536;

struct FingerprintHash {
  std::size_t operator()(const Machine::Fingerprint& f) const { return f.low; }
};
using FingerprintSet = tsl::robin_set<Machine::Fingerprint, FingerprintHash>;

class CycleDetector {
 public:
  // True: this state was there before.
  bool repeats(const Machine::Fingerprint& state) {
    if (seen_.size() < kRemembered) return !seen_.insert(state).second;
    if (++since_kept_ > keep_for_) {
      kept_ = state;
      keep_for_ *= 2;
      since_kept_ = 0;
      return false;
    }
    return state == kept_;
  }

 private:
  FingerprintSet seen_;
  Machine::Fingerprint kept_;
  std::uint64_t keep_for_ = 1, since_kept_ = 1;
};

// Is it certain that no schedule from here ends the run? True only where all states that can be reached are few, and
// none of them is an end: then the threads that are left spin for ever.
bool never_ends(const Machine& machine) {
  constexpr std::size_t kFew = 1000;
  FingerprintSet seen;
  seen.insert(machine.fingerprint());
  std::vector<Machine> pending{machine};
  while (!pending.empty()) {
    const Machine state = std::move(pending.back());
    pending.pop_back();
    const std::vector<ThreadId> enabled = state.enabled();
    if (enabled.empty()) return false;
    for (const ThreadId thread : enabled) {
      Machine next = state;
      if (!next.step(thread)) return false;  // the run itself will meet the mistake
      if (!seen.insert(next.fingerprint()).second) continue;
      if (seen.size() > kFew) return false;
      pending.push_back(std::move(next));
    }
  }
  return true;
}

class Run {
 public:
  Run(Machine& machine, const Observer& observer, const RunLimits& limits)
      : machine_(machine), observer_(observer), limits_(limits) {}

  Status entry(const ScheduleEntry& entry) {
    if (index(entry.thread) >= machine_.threads()) return {};  // a thread that was never forked
    if (reached_.size() <= index(entry.thread)) reached_.resize(machine_.threads());
    std::size_t& reached = reached_[index(entry.thread)];
    CycleDetector detector;
    for (std::uint64_t steps = 0; !entry.steps || steps < *entry.steps; ++steps) {
      const auto marks = machine_.marks(entry.thread);
      for (; reached < marks.size(); ++reached) {
        if (!entry.is_label || machine_.program().text(marks[reached]) != entry.name) continue;
        ++reached;
        return {};
      }
      if (!machine_.enabled(entry.thread) || (!entry.steps && detector.repeats(machine_.fingerprint()))) return {};
      if (!may_step()) return {};
      RC_TRY_STATUS(step(entry.thread));
      reached = 0;
    }
    reached = machine_.marks(entry.thread).size();
    return {};
  }

  Status round_robin() {
    CycleDetector detector;
    for (std::uint64_t round = 0;; ++round) {
      // Short runs, nearly all, need no watching.
      if (round >= 64 && detector.repeats(machine_.fingerprint())) {
        spinning_ = true;
        return {};
      }
      bool moved = false;
      for (std::uint32_t t = 0; t < machine_.threads(); ++t) {
        // Entering and leaving missing code is no access: it goes with the next one.
        for (bool again = true; again;) {
          const NextStep next = machine_.next(ThreadId{t});
          if (!next.enabled) break;
          if (!may_step()) return {};
          again = !is_step(next.instruction->op);
          moved = true;
          RC_TRY_STATUS(step(ThreadId{t}));
        }
      }
      if (!moved) return {};
    }
  }

  Status random(std::uint64_t seed) {
    std::vector<ThreadId> enabled;
    for (std::uint64_t look = kFirstLook;;) {
      enabled.clear();
      for (std::uint32_t t = 0; t < machine_.threads(); ++t) {
        if (machine_.enabled(ThreadId{t})) enabled.push_back(ThreadId{t});
      }
      if (enabled.empty() || !may_step()) return {};
      if (outcome_.steps == look) {
        look *= 2;
        if (never_ends(machine_)) {
          spinning_ = true;
          return {};
        }
      }
      RC_TRY_STATUS(step(enabled[below(seed, enabled.size())]));
    }
  }

  RunOutcome outcome() {
    outcome_.blocked = machine_.describe_blocked(spinning_);
    outcome_.deadlock = !outcome_.blocked.empty();
    for (std::uint32_t t = 0; t < machine_.threads(); ++t) {
      if (std::string fault = machine_.fault(ThreadId{t}); !fault.empty()) outcome_.faults.push_back(std::move(fault));
    }
    return outcome_;
  }
  bool stopped() const { return outcome_.step_limit; }

 private:
  static constexpr std::uint64_t kFirstLook = 1024;

  bool may_step() {
    if (outcome_.steps < limits_.max_steps) return true;
    outcome_.step_limit = true;
    return false;
  }
  Status step(ThreadId thread) {
    ++outcome_.steps;
    return machine_.step(thread, observer_);
  }
  // splitmix64, and the high half of a product: the same on every machine, which std's distributions are not.
  static std::size_t below(std::uint64_t& seed, std::size_t bound) {
    std::uint64_t z = seed += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    z ^= z >> 31;
    return static_cast<std::size_t>((z >> 32) * bound >> 32);
  }

  Machine& machine_;
  const Observer& observer_;
  RunLimits limits_;
  RunOutcome outcome_;
  std::vector<std::size_t> reached_;  // by thread: how many of its marks() the schedule has passed
  bool spinning_ = false;
};

}  // namespace

Result<RunOutcome> run_schedule(Machine& machine, const std::vector<ScheduleEntry>& schedule, const Observer& observer,
                                const RunLimits& limits) {
  Run run(machine, observer, limits);
  for (const ScheduleEntry& entry : schedule) {
    RC_TRY_STATUS(run.entry(entry));
    if (run.stopped()) return run.outcome();
  }
  RC_TRY_STATUS(run.round_robin());
  return run.outcome();
}

Result<RunOutcome> run_random(Machine& machine, std::uint64_t seed, const Observer& observer, const RunLimits& limits) {
  Run run(machine, observer, limits);
  RC_TRY_STATUS(run.random(seed));
  return run.outcome();
}

}  // namespace racecast::program
