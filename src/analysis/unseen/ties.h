// Which missing code orders one access before another: for pairs of events that an order puts one after the other, the
// function whose section brought that about.
//
// A thread *learns* of the first event where its clock comes to know it. If it does so at an own point of a section, it
// is that section's function; otherwise whoever told it has learned by such a section, or it was told by an own point
// itself. So the second thread's way of learning names the function. One look at the trace up to the last pair; per
// event, a comparison for each thread that has a first event.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/describe.h"
#include "model/order/lanes.h"
#include "model/order/sync_clocks.h"

namespace racecast::analysis::unseen {

// Their threads are lanes (model/order/lanes.h).
struct OrderedPair {
  EventAt first, second;
};

// For each pair the name of the function; nullopt: none that is known, or the order does not order it.
Result<std::vector<std::optional<std::string>>> tying_functions(const Input& input, model::Order order,
                                                                const std::vector<OrderedPair>& pairs);

}  // namespace racecast::analysis::unseen
