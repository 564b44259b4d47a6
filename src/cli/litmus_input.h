// Litmus programs as input: options that choose the schedule, loading, recording.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "program/litmus/litmus.h"
#include "trace/trace.h"

namespace racecast::cli {

class Command;

struct LitmusOptions {
  std::string path;
  std::optional<std::string> schedule;
  std::optional<std::uint64_t> seed;
};
// `required`: a command line without the file is refused at once, else by load_litmus().
void add_litmus_options(Command& command, LitmusOptions& options, bool required = true);

Result<program::LitmusFile> load_litmus(const std::string& path);

// Runs the program once. A deadlock, a fault or an unfinished run is said on standard error; the trace holds what
// happened until then.
Result<trace::Trace> record_litmus(const program::LitmusFile& file, const LitmusOptions& options);

}  // namespace racecast::cli
