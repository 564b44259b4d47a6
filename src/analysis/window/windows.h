// Cuts a trace into windows: the whole trace while it fits, else pieces of one size, each overlapping half of the one
// before. A window is a trace of its own: its events, preceded by *carried* ones that recreate the state at its start
// (carried.h). A correct reordering of a window that keeps the carried events first is one of the whole trace, with the
// recorded order in front: windows add no race. They lose what needs more than half a window (docs/maximal.md).
//
// Memory: one window, and the state at its start.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "analysis/window/carried.h"
#include "base/result.h"
#include "finding/schedule.h"
#include "trace/trace.h"

namespace racecast::analysis::predict {

inline constexpr std::uint64_t kWholeTrace = std::uint64_t{1} << 21;  // events
inline constexpr std::uint64_t kWindow = std::uint64_t{1} << 20;

struct WindowSize {
  std::uint64_t whole = kWholeTrace;  // a trace of at most so many events is one window
  std::uint64_t window = kWindow;     // of a longer one, each window has so many
};

// For who may use so many bytes (0: as many as it takes): windows cost kBytesOfEvent an event, and no window has less
// than kLeastWindow.
inline constexpr std::uint64_t kBytesOfEvent = 1024, kLeastWindow = 1u << 15;
WindowSize fitting(std::uint64_t memory);
// How many windows a trace of so many events has.
std::uint64_t count_windows(std::uint64_t events, const WindowSize& size);

struct WindowOfTrace {
  trace::Trace trace;       // the carried events, then those of the window
  std::uint64_t fixed = 0;  // how many are carried
  std::uint64_t first = 0;  // number of its first event in the whole trace
  bool whole = false;       // it is the whole trace
  // The number in the whole trace; not for a carried event.
  EventNo number(EventNo in_window) const { return EventNo{first + index(in_window) - fixed}; }
};

// A schedule of the window, with its numbers, as one of the trace.
finding::Interleaving in_trace(finding::Interleaving schedule, const WindowOfTrace& window);

class Windows {
 public:
  // `starts`: of the whole trace (carried.h). Only asked if there is more than one window.
  Windows(std::unique_ptr<trace::EventSource> source, WindowSize size, const SemaphoreStarts& starts);

  // The next window; nullopt after the last. Errors are the source's.
  Result<std::optional<WindowOfTrace>> next();

 private:
  Status fill(std::uint64_t events);

  std::unique_ptr<trace::EventSource> source_;
  const WindowSize size_;
  CarriedState state_;                // before buffer_
  std::vector<trace::Event> buffer_;  // the last window's, or what was read
  bool ended_ = false;                // the source
  bool started_ = false;
};

}  // namespace racecast::analysis::predict
