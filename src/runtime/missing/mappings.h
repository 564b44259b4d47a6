// Memory that somebody has from the kernel without libc (a system call in assembly), so that nobody told us: looked up
// in the kernel's own list.
#pragma once

#include <cstdint>

#include "runtime/missing/reach.h"

namespace racecast::runtime {

// The mapping that holds this byte, if it can be read and written and is neither the heap nor the stack that the kernel
// made. Size 0: there is none. What was found is kept, and may be out of date when its memory was given back.
Object find_mapping(std::uintptr_t address);

}  // namespace racecast::runtime
