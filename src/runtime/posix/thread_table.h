// From pthread_t to the thread's number, so that a join can say whom it joined.
//
// The child enters itself, first thing; a pthread_t may be used again as soon as its thread was joined or, detached,
// has ended. The entry of a detached thread is gone by then; that of one that is being joined is marked, since between
// the real join and its removal a new thread may have got the same handle. A joiner may be faster than the child: it
// waits while any thread is on its way. Entries are in blocks that pthread_create makes; a spin lock guards all of it,
// held for a few instructions.
#pragma once

#include <pthread.h>

#include <cstdint>

#include "runtime/missing/missing.h"

namespace racecast::runtime {

// What the creator hands to the child.
struct Start {
  void* (*routine)(void*);
  void* argument;
  std::uint32_t number;  // ThreadId
  bool detached;
  int rounds;  // of key destructors, so far
  // Where it begins in code without hooks (missing/missing.h): with what; else null.
  const void* root;
  const void* root_argument;
  Inherited inherited;
  // The table's own.
  bool ended;
  bool joining;  // perhaps joined already
  pthread_t handle;
  Start* next;
};

// A block for a thread to be created; null: no memory. It counts as on its way until it is entered or dropped.
Start* new_start();
void drop_start(Start* start);

// In the child: its pthread_t means `start` from now on.
void enter_thread(Start* start);
// In the child, at its very end. If it is detached, `start` is gone; else it waits for the join.
void leave_thread(Start* start);

// The number of a thread that can be joined, kNoThread if it is not known.
std::uint32_t number_of_thread(pthread_t handle);
// The same, of a thread that is about to be joined. Then, with its result: it was joined, and its entry is removed (if
// it still is that of `number`); or it was not, and can be joined again.
std::uint32_t begin_join(pthread_t handle);
void end_join(pthread_t handle, std::uint32_t number, bool joined);
// It is about to be detached.
void detach_thread(pthread_t handle);

}  // namespace racecast::runtime
