// `dump order`: the execution view of a trace, as text.
#pragma once

#include <string>

#include "trace/trace.h"

namespace racecast::cli {

// Every event with its happens-before clock and, for a read, the write it read from; then the scopes of every lock.
std::string dump_order(const trace::Trace& trace);

}  // namespace racecast::cli
