// What all windows of a trace together have shown, for each relaxation. Merged in the order of the windows, whoever
// decided them and when: the first window that shows a pair of places keeps it, and what later ones say of it is
// dropped.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/maximal/decide_window.h"

namespace racecast::analysis::predict {

// Of one relaxation.
struct Merged {
  struct Race {
    std::pair<EventNo, EventNo> accesses;
    finding::Interleaving schedule;
    bool operator==(const Race&) const = default;
  };
  enum class Why : std::uint8_t { Budget, InPart, Rejected };
  struct Unsettled {
    std::pair<EventNo, EventNo> accesses;
    Why why = Why::Budget;
    bool operator==(const Unsettled&) const = default;
  };
  std::map<finding::Places, Race> races;
  std::map<finding::Places, Unsettled> unsettled;  // may have races of later windows, until finish()
  PlacesSet refuted, found_before;
  std::vector<std::string> rejected;
  std::optional<DetourResult> detours;  // path

  std::uint64_t windows = 0, carried = 0, conflicting = 0, locked = 0, ordered = 0, cut = 0, left = 0, unknown = 0;
  std::array<std::uint64_t, kTiers> settled_by{};
  std::vector<std::uint32_t> cones, attempts;
  bool operator==(const Merged&) const = default;
};

class WindowMerger {
 public:
  explicit WindowMerger(std::size_t answers) : merged_(answers) {}
  // The windows in their order.
  void add(WindowResult result);
  // As asked for. Nothing may be added after it.
  std::vector<Merged> finish();

 private:
  std::vector<Merged> merged_;
  std::uint64_t next_ = 0;  // no window begins before this event
};

// The same for results in any order. Results that do not answer the same number of questions are bad_input.
Result<std::vector<Merged>> merge(std::vector<WindowResult> results);

}  // namespace racecast::analysis::predict
