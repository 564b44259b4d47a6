// A trace in any form that racecast reads: .rct (binary), its text form, RAPID's STD. Told apart by content, then by
// name.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "trace/trace.h"

namespace racecast::cli {

struct OpenedTrace {
  std::unique_ptr<trace::EventSource> source;
  // What was lost, when the source has been read to its end; always nullopt for text.
  std::function<std::optional<std::string>()> damage;
};

Result<OpenedTrace> open_trace(const std::string& path);

// Does a file that starts like this hold a binary trace?
bool is_binary_trace(std::string_view start);
bool starts_as_binary_trace(const std::string& path);

// To be called when the source has been read: says on standard error what was lost; bad_input if nothing is left.
Status report_damage(const std::string& path, const OpenedTrace& opened, std::uint64_t events);

// Reads a whole trace into memory; damage as above.
Result<trace::Trace> load_trace(const std::string& path);

}  // namespace racecast::cli
