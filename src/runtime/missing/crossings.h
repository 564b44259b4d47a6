// Where a thread left recorded code for code without hooks, and where it came back: a stack of crossings in each
// stream.
//
//   recorded f ──▶ crossing ──▶ code without hooks ──▶ callback ──▶ recorded g ──▶ crossing ──▶ ...
//
// What missing code is ordered by are its own points (docs/semantics.md, section 4), so the beginning and the end of a
// callback need stamps. A recorded function learns that code without hooks called it from the stream's `border`
// (abi.h), which is kept here: one comparison at its entry and one at its return.
//
// Unwinding leaves callbacks and crossings without a word. Those that are over are told by where the stack is now, at
// the next chance: a landing, a longjmp, the next function that code without hooks calls, the next thing that is
// recorded. Code without hooks may have run since the unwinding began (destructors), so a callback that was left ends
// with the stamp that was taken then. LIMIT: the same holds of a crossing inside of such a callback, which ends too
// early by what its own destructors do.
//
// A thread that runs on another stack than its own (makecontext) has its crossings, but none of them is ever found to
// be over.
#pragma once

#include <cstdint>

#include "runtime/core/state.h"

namespace racecast::runtime {

// Code without hooks begins and ends. `here`: the frame of the hook. They record nothing themselves; false: there was
// no room, or no such crossing.
bool enter_missing(Stream& stream, std::uintptr_t here, const void* callee, std::uint32_t count,
                   const void* const* pointers);
bool leave_missing(Stream& stream, std::uintptr_t here);
// The same for a thread that begins in code without hooks, which it is in until it ends. `pointers` must outlive it.
void begin_in_missing(Stream& stream, const void* routine, const void* const* pointers);

// Code of this thread runs at this frame (or jumps there): callbacks and crossings below it are over, and that is
// recorded.
void drop_crossings(Stream& stream, std::uintptr_t here);
// All of them are over: the thread ends.
void end_crossings(Stream& stream);
// The same without a word: a handler begins anew, or the stream is given back.
void forget_crossings(Stream& stream);

// The thread begins to unwind now.
void begin_unwinding();

// The crossings of this stream, innermost first, until function(const Crossing&) gives false.
template <typename Function>
void for_crossings(const Stream& stream, Function&& function) {
  for (std::uint32_t i = stream.crossings; i-- > 0;)
    if (!function(i < kNearCrossings ? stream.near_crossings[i] : stream.far_crossings[i - kNearCrossings])) return;
}

}  // namespace racecast::runtime
