// `dump path`: the symbolic trace, as text.
#pragma once

#include <string>

#include "base/result.h"
#include "trace/trace.h"

namespace racecast::cli {

// Thread by thread, every event with what it reads and writes as an expression over reads, and with the conditions for
// which it is kept. bad_input: the trace came without a program.
Result<std::string> dump_path(const trace::Trace& trace);

}  // namespace racecast::cli
