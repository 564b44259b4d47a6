// Laws of `path` (docs/semantics.md, section 7; docs/path.md).
#pragma once

#include <cstdint>
#include <string>

#include "property/relaxed_oracle.h"

namespace racecast::property {

struct WalkCounts {
  std::uint64_t programs = 0;                 // of which the oracle saw all
  std::uint64_t races = 0, beyond_value = 0;  // of places
  std::uint64_t limited = 0;                  // programs of which `path` did not look at everything
};

// The pairs of places that `path` reports are exactly those of the oracle that lets threads take unexecuted branches
// (with missing code, or where `path` says that it left something out: some of those); none of its schedules is
// rejected; those of `value` are among them; and all of them are races of the program.
std::string turns_as_the_oracle(const oracle::Recording& recording, WalkCounts* counts = nullptr);

}  // namespace racecast::property
