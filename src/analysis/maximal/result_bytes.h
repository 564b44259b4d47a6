// What is asked of a window, and what it answers (decide_window.h), as bytes and back. The same value gives the same
// bytes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/maximal/decide_window.h"

namespace racecast::analysis::predict {

std::vector<std::uint8_t> bytes_of(const DecideOptions& options);
std::vector<std::uint8_t> bytes_of(const WindowResult& result);

// Malformed bytes are bad_input. That a result is true is not checked: whoever has it judged needs the trace.
Result<DecideOptions> options_of(std::span<const std::uint8_t> bytes);
// `definitions`: of the window.
Result<WindowResult> result_of(std::span<const std::uint8_t> bytes, const trace::Definitions& definitions);

}  // namespace racecast::analysis::predict
