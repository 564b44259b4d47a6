// Creating threads, for all forms of it.
#pragma once

#include <pthread.h>

#include <cstdint>

namespace racecast::runtime {

// What the program wants a thread to begin with, and where on the stack the frames of whoever creates it begin.
struct Root {
  const void* routine;
  const void* argument;
  std::uintptr_t stack;
};
// As pthread_create. Where `routine` is ours, `root` tells the program's own.
int create_thread(pthread_t* thread, const pthread_attr_t* attributes, void* (*routine)(void*), void* argument,
                  const Root& root);

// For a function that the program calls, and that keeps what its caller had in registers at the beginning of its frame
// (__builtin_unwind_init): where that begins.
inline std::uintptr_t callers_stack(const void* frame) {
  constexpr std::uintptr_t kRegisters = 5 * sizeof(void*);  // rbx, r12 to r15; rbp is at the frame itself
  return reinterpret_cast<std::uintptr_t>(frame) - kRegisters;
}

}  // namespace racecast::runtime
