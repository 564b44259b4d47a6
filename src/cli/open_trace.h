// A trace in any form that racecast reads: .rct (binary), its text form, RAPID's STD. Told apart by content, then by
// name.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "trace/trace.h"

namespace racecast::cli {

struct OpenedTrace {
  std::unique_ptr<trace::EventSource> source;
  // What was lost, when the source has been read to its end; always nullopt for text.
  std::function<std::optional<std::string>()> damage;
};

Result<OpenedTrace> open_trace(const std::string& path);

// Reads a whole trace into memory and says on standard error if it is damaged.
Result<trace::Trace> load_trace(const std::string& path);

}  // namespace racecast::cli
