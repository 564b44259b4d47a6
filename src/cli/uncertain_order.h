// What a report says of order that is only possible (trace/certain_order.h): the pairs of places that nothing else
// orders, and which calls were taken to order everything. It hides races and invents none, so a user must know of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "analysis/analysis.h"

namespace racecast::cli {

struct UncertainOrder {
  std::size_t pairs = 0;                            // that hb leaves unordered without it
  std::map<std::string, std::uint64_t> everything;  // how often each function was taken to order everything
};

// `outputs`: of the analyses `names` of that trace. Looks at the trace again where it has such order, else at nothing.
Result<UncertainOrder> uncertain_order(const analysis::Input& input, std::span<const std::string> names,
                                       const analysis::Outputs& outputs);

}  // namespace racecast::cli
