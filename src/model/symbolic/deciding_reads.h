// Which reads decide something: what they return flows, through computations of their thread, into a branch, into the
// arguments of code without a body (where output and assertions end up), or into the choice of a function.
#pragma once

#include "base/hash.h"
#include "model/symbolic/symbolic_trace.h"

namespace racecast::model {

// By number of the event. Not through memory, where another read gets the value. What the model does not know counts
// for nothing. Linear in the nodes.
HashSet<std::uint64_t> deciding_reads(const SymbolicTrace& symbols);

// The nodes that a condition of one of these kinds, or one of these nodes, depends on.
std::vector<bool> nodes_that_feed(const SymbolicTrace& symbols, std::initializer_list<ConditionKind> kinds,
                                  std::span<const NodeNo> and_these = {});

}  // namespace racecast::model
