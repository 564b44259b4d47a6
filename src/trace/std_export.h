// Writes a trace in RAPID's STD text format, as far as that can say it: reads, writes, mutexes, fork and join. A wait
// is a release of its mutex and a wake an acquire, which is what they are to the tools that read STD. Everything else
// is left out and counted.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "trace/trace.h"

namespace racecast::trace {

struct StdExport {
  std::uint64_t written = 0;                          // lines
  std::array<std::uint64_t, kEventKinds> left_out{};  // events without a line, by kind
  std::uint64_t renamed = 0;                          // names that STD could not hold as they were

  std::uint64_t left_out_total() const;
  // "3 events left out: 2 aread, 1 fence"; empty if none.
  std::string summary() const;
};

// A location is written as its label where that is a signed 32-bit number, else as kStdLocationBase + its id. Names
// with blanks, '|' or control characters, empty names, and names that an earlier variable (lock, thread) has already,
// are written as an address or number instead.
inline constexpr std::uint32_t kStdLocationBase = 1'000'000;
Result<StdExport> export_std(EventSource& source, const std::string& path);

}  // namespace racecast::trace
