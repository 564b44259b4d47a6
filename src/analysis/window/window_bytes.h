// A window of a trace as bytes, and back: what one process cuts, another can decide.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/window/windows.h"
#include "base/result.h"

namespace racecast::analysis::predict {

// Definitions that break a rule of the format (trace/definitions_codec.h) are bad_input.
Result<std::vector<std::uint8_t>> bytes_of(const WindowOfTrace& window);
// Bytes that are malformed, or whose events are no valid trace (trace/validator.h), are bad_input.
Result<WindowOfTrace> window_of(std::span<const std::uint8_t> bytes);

}  // namespace racecast::analysis::predict
