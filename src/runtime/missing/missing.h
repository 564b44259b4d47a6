// Missing code: what code without hooks can reach. See missing.cpp.
#pragma once

#include <cstdint>

#include "runtime/core/state.h"
#include "runtime/missing/reach.h"

namespace racecast::runtime {

// From now on every call of `function` without hooks also reaches what `address` points to (annotations.h:
// __racecast_reaches). Any thread, any time.
void add_reach(const void* function, const void* address);

// Code without hooks that this thread is in is given a pointer: what a callback returns.
void hand_to_missing(Stream& stream, const void* pointer);

// The function without hooks that a thread would begin with; null: recorded code is all that it runs.
const void* missing_root(const void* routine, const void* argument);

// What code without hooks hands on to a thread that it creates.
struct Inherited {
  Object* objects;
  std::uint32_t count;
  bool everything;
};
// For a thread that is created now; nothing, where recorded code creates it. `stack`: frames of the code that creates
// it are above. To be given back.
Inherited inherit_reach(std::uintptr_t stack);
void forget_inherited(Inherited& inherited);
// In the new thread, which is recorded: it is in code without hooks from here on. Both must outlive it.
void begin_missing_root(const void* routine, const void* const* argument, const Inherited& inherited);

// The process exits: what libc and the loader call from here on may have no hooks, until the thread ends. Nothing,
// where no library has anything to keep to itself.
void begin_missing_exit();

}  // namespace racecast::runtime
