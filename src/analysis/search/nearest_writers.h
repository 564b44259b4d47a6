// The writes that may be the last before a reader in a cell, one at a time: those that are nearest to it in the trace
// first. A trace of a million events has ten thousand writes to a variable, of which a search looks at a few.
//
// What must-order rules out is, in each thread, what lies before some write or after another, so making one costs a
// binary search per thread, and each step a look at every thread that writes there.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/window/must_order.h"
#include "analysis/window/window.h"

namespace racecast::analysis::predict {

class NearestWriters {
 public:
  NearestWriters() = default;
  // `must` must outlive it. `section`: as in CellAccess.
  NearestWriters(const MustOrder& must, PointNo reader, CellNo cell, PointNo section);

  // kStart or `section`: what was there before every write that counts. nullopt: there are no more.
  std::optional<PointNo> next();

 private:
  struct Thread {
    std::span<const PointNo> earlier, later;  // than the reader; what is left of them
  };
  PointNo reader_ = 0;
  std::optional<PointNo> before_all_;
  std::vector<Thread> threads_;
};

}  // namespace racecast::analysis::predict
