// Laws of `value` (docs/semantics.md, section 7; docs/value.md).
#pragma once

#include <cstdint>
#include <string>

#include "analysis/maximal/decide.h"
#include "property/laws_maximal.h"
#include "property/relaxed_oracle.h"

namespace racecast::property {

struct ValueCounts {
  std::uint64_t programs = 0;  // of which the oracle saw all
  std::uint64_t races = 0, beyond_maximal = 0;
  std::uint64_t ended = 0;  // races whose schedule has an operation that ends otherwise than recorded
};

// The pairs that the relaxed predictor calls races are exactly those of the oracle that runs the program along its
// recorded paths (with missing code: some of those); each has a schedule that the judge accepts and, without missing
// code, the program can run; maximal's are among them.
std::string relaxes_as_the_oracle(const oracle::Recording& recording, const Way& way, ValueCounts* counts = nullptr);

}  // namespace racecast::property
