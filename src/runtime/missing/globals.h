// Global variables of modules with hooks, as objects that missing code may reach. A module tells what it uses, and the
// sizes of what it defines. Of a variable that another library defines (stdout, environ) the size is in its symbol. One
// that this library or executable has in code without hooks is no business of these: libraries.h has it. Constant
// memory is left out: nothing there can race.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/missing/reach.h"

namespace racecast::runtime {

// Called once by each module (modules.cpp). `sizes`: 0 of one that it does not define.
void add_globals(const void* const* addresses, const std::uint64_t* sizes, std::uint64_t count,
                 const void* inside_module);
// The global that holds this byte.
Object find_global(std::uintptr_t address);
// The first one that some module with hooks defines and that ends behind this byte; where there is none, an empty one
// at the end of all memory.
Object next_global(std::uintptr_t address);
// How many are known.
std::size_t global_count();
// After a fork: whoever was adding or sorting them is not there.
void release_globals();

}  // namespace racecast::runtime
