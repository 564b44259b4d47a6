// `dump trace --verify`: is the order of the events legal, and does the program model, run along each thread's path,
// compute what was recorded?
#pragma once

#include <string>

#include "cli/command.h"
#include "trace/trace.h"

namespace racecast::cli {

// Prints the verdict; the last line is for scripts. kFindings: something does not agree. bad_input: the trace cannot be
// read, or has events and came without a program. `name` is what the user calls the trace.
Outcome verify_trace(trace::EventSource& source, const std::string& name);

}  // namespace racecast::cli
