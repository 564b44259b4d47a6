// The libraries and the executable that are loaded: which one an address lies in, and what its code keeps to itself,
// the variables that no recorded code defines (variables.h). Code without hooks reaches those of its own library, and
// of the libraries that this one was linked with, without being given a pointer.
//
// And the state outside of memory (state_effects.cpp) that functions are about which these libraries have from libc or
// libstdc++: all of a kind, at the two addresses where everybody comes by.
//
// Not of libc, libm, libpthread, the loader, libgcc_s, libstdc++, libatomic: what their functions share is told by the
// table of library functions (src/program/library.txt). Nor of the runtime.
//
// Found out once for each library, when its code is called for the first time. The caller is in the runtime and scans
// (scan.h), so no handler of this thread comes here.
#pragma once

#include <cstdint>

#include "runtime/missing/reach.h"

namespace racecast::runtime {

// Calls add(const Object&, context) for each of those variables (or runs of them) and kinds of state, and
// add_library(address, context) for each library that they are of (struct dl_phdr_info: dlpi_addr). False: not all can
// be told.
bool for_hidden_variables(std::uintptr_t code, void (*add)(const Object&, void*),
                          void (*add_library)(std::uintptr_t, void*), void* context);
// The one (or the run of them) that holds this byte.
Object find_hidden_variable(std::uintptr_t address);

// The same for all libraries, and the executable.
bool for_all_hidden_variables(void (*add)(const Object&, void*), void* context);

// A function that libc was given to call: itself if it has no hooks and is not libc's own, else null.
const void* missing_function(const void* function);

// Whether what follows can be told now: not everywhere in a handler, nor inside of the loader.
bool can_tell_libraries();

// What a word leads to that points to no variable: code without hooks (which reaches what its library does), memory
// that is constant once it is loaded and may point to such code (tables of virtual functions), or nothing.
enum class Leads : std::uint8_t { Nowhere, ToCode, ToConstants };
Leads where_leads(std::uintptr_t word);

// Is this the function with which libstdc++ begins a std::thread? It calls recorded code and nothing else.
bool begins_std_thread(std::uintptr_t routine);

// Are both in the same library or executable?
bool is_same_library(std::uintptr_t code, std::uintptr_t other);

// What stands for a variable of libc or its kin that somebody was given a pointer to: this word of it.
Object known_variable(std::uintptr_t address);

// Around a dlclose: when a library was unloaded, another one may get its place.
void begin_unloading();
void end_unloading();
// After a fork: whoever was looking is not there.
void release_libraries();

}  // namespace racecast::runtime
