// One window of a trace in, what `maximal`, `value` and `path` say of it out. Window, question and result are values:
// windows can be decided in any order, on any machine, and their results merged later (merge_windows.h); their bytes
// are in window_bytes.h and result_bytes.h. What all three share is made once a window: its symbols, and a decision
// that relaxes nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "analysis/maximal/settle.h"
#include "analysis/path/detour_search.h"
#include "analysis/window/windows.h"
#include "base/result.h"

namespace racecast::analysis::predict {

// Of which analysis a decision is: what may differ from the recorded run.
enum class Relaxation : std::uint8_t {
  None,    // maximal
  Values,  // value
  Paths,   // path: values and branches
};
inline constexpr int kRelaxations = 3;

// What is asked of a window.
struct DecideOptions {
  std::vector<Relaxation> asked;  // in this order
  // An answer leaves out what an earlier one of this window has a schedule for, and what an earlier one has decided.
  bool only_new = false;
  std::vector<finding::Places> known;  // another analysis has a schedule: to be left out, and counted
  // Likewise of an earlier window. May be empty: merge() drops them, this only saves deciding them again.
  std::vector<finding::Places> found;
  Budget budget;
  bool operator==(const DecideOptions&) const = default;
};

// For one relaxation. All numbers of events are those of the trace.
struct Answer {
  std::uint64_t windows = 0;  // 0: it left this window to an earlier answer
  std::uint64_t carried = 0;
  std::vector<Settled> places;
  Candidates::Counts counts;
  std::vector<finding::Places> found_before;  // of the known ones, those that conflict here
  std::optional<DetourResult> detours;        // of a variant: all numbers are its own
  bool operator==(const Answer&) const = default;
};

struct WindowResult {
  std::uint64_t first = 0;  // as in WindowOfTrace
  bool whole = false;
  std::vector<Answer> answers;  // as asked for
  bool operator==(const WindowResult&) const = default;
};

// Does not change the answer, unless a limit is reached.
struct Means {
  unsigned jobs = 1;
  Limits limits;
  std::function<void(std::uint64_t events)> progress;  // of the whole trace; may be empty
};

// forget_passed_on_addresses() was called on the window (passed_on.h).
Result<WindowResult> decide(const WindowOfTrace& window, const DecideOptions& options, const Means& means = {});

// The pairs of places that are races of one of its answers, in order.
std::vector<finding::Places> races_of(const WindowResult& result);

}  // namespace racecast::analysis::predict
