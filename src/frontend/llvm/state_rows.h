// What the recorder is told of a call's state outside of memory, from the row of its function (program/library.h).
#pragma once

#include <string_view>
#include <vector>

#include "abi/abi.h"
#include "program/library.h"

namespace racecast::frontend {

// Reads come first. Left out is what nothing depends on, or what other records tell:
// - what is read by a call whose result nobody uses, and which writes no memory and no other state: it tells its thread
//   nothing (a line that is printed);
// - what an operation on a lock, a semaphore, a thread or an object reads: it learns what its role says;
// - `any`, which the recorder takes for everything; `heap`, of which allocations tell; `entropy`, which nobody writes;
//   and all state of who returns twice or jumps.
std::vector<abi::StateEffect> state_effects(const program::LibraryFunction& function, std::string_view name,
                                            bool result_is_used);

}  // namespace racecast::frontend
