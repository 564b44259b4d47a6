// Threads: their numbers, their beginning and their end. For pthread_create and what is like it:
//
//   creator:  number = fork_thread(handle);  real_create(trampoline with number)
//   child:    begin_thread(number);  routine();  ... after all destructors:  end_thread();
//   joiner:   real_join();  join_thread(number)
//
// A thread that did not come this way (clone, created before we were loaded) keeps the sink and is not recorded.
#pragma once

#include <cstdint>

#include "runtime/missing/reach.h"

namespace racecast::runtime {

inline constexpr std::uint32_t kNoThread = 0xffffffff;

// The number of a thread to be created; Fork is recorded, and before it that the child's handle is stored at `handle`,
// as libc does it: before the child begins. kNoThread if this thread is not recorded: then the child is not either, and
// the calls below do nothing for it. (If the creation fails, the number is never used, and nothing was stored.)
std::uint32_t fork_thread(const void* handle);
// That thread could not be created.
void drop_fork();

// First thing in the new thread: its stream, ThreadBegin, its thread-local memory as new objects.
void begin_thread(std::uint32_t number);

// Last thing in the thread, after thread_local and key destructors: thread-local memory dies, ThreadEnd, stream closed.
// What the thread calls afterwards is not recorded. May be called in any thread, any number of times.
void end_thread();

// Records that thread `number` has ended before this. kNoThread: nothing.
void join_thread(std::uint32_t number);

// The number of this thread, kNoThread if it is not recorded.
std::uint32_t current_thread();

// After a fork: the child has nothing of what this thread had mapped.
void forget_thread();

// The stack of the recorded thread that has this address on it. (Some thousand live threads are known, not more.)
Object find_stack(std::uintptr_t address);

// A name for a thread, for reports.
void name_thread(std::uint32_t number, const char* name);

}  // namespace racecast::runtime
