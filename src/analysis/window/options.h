// The option that all analyses have that cut a trace into windows.
#pragma once

#include <algorithm>
#include <array>

#include "analysis/own_options.h"
#include "analysis/window/windows.h"

namespace racecast::analysis {

struct WindowOptions {
  std::uint64_t window = 0;  // events of a window, and of a trace that is not cut; 0: as the analysis says
  predict::WindowSize size(predict::WindowSize otherwise) const {
    // Windows overlap by half: less than two events cannot.
    const std::uint64_t events = std::max<std::uint64_t>(window, 2);
    return window == 0 ? otherwise : predict::WindowSize{events, events};
  }
};

inline constexpr std::array kWindowOptions = {
    NumberOption{"--window",
                 "cut a trace of more than N events into windows of N (1 counts as 2; 0: as docs/maximal.md and "
                 "docs/nondet.md say, which tell what a window can miss, too)",
                 std::uint64_t{1} << 31,
                 [](std::uint64_t number, OwnOptions& options) { options.set(WindowOptions{number}); }},
};

}  // namespace racecast::analysis
