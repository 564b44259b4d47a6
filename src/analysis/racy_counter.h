// Counts racy events while a pass finds them, in order.
#pragma once

#include <utility>

#include "analysis/analysis.h"
#include "base/hash.h"

namespace racecast::analysis {

class RacyCounter {
 public:
  explicit RacyCounter(bool keep_events) : keep_events_(keep_events) {}

  void add(std::uint64_t event, LocationId location) {
    ++racy_.count;
    locations_.insert(static_cast<std::uint32_t>(index(location)));
    if (keep_events_) racy_.events.push_back(EventNo{event});
  }
  RacyEvents take() {
    racy_.locations = locations_.size();
    return std::move(racy_);
  }

 private:
  const bool keep_events_;
  RacyEvents racy_;
  HashSet<std::uint32_t> locations_;
};

}  // namespace racecast::analysis
