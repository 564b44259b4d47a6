// Names for memory that no symbol covers: an object on the heap or the stack is known by where it was allocated.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "finding/finding.h"

namespace racecast::cli {

// By address of an access and the number of its event: "byte 8 of 64 allocated at a.c:3:5 by T1".
using ObjectNames = std::map<std::pair<std::uint64_t, EventNo>, std::string>;

// For the second access of each finding whose address is in no symbol. Reads the trace again as far as these accesses,
// if there is one; not at all otherwise.
Result<ObjectNames> name_objects(const analysis::Input& input, const std::vector<finding::Finding>& findings,
                                 const trace::Definitions& definitions);

}  // namespace racecast::cli
