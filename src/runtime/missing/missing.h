// Missing code: what a call of code without hooks can reach. See missing.cpp.
#pragma once

namespace racecast::runtime {

// Gives back what this thread used for scanning.
void free_scratch();

// From now on every call of `function` without hooks also reaches what `address` points to (annotations.h:
// __racecast_reaches). Any thread, any time.
void add_reach(const void* function, const void* address);

}  // namespace racecast::runtime
