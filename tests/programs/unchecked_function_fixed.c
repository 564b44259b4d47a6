// Functions that are marked no_sanitize("thread"), in all the ways there are, access what others access under a lock. An
// atomic in such a function orders as any other.
// TSAN: alarms (the mark is lost when a function is inlined by force)
// NORACE
#include <stdatomic.h>

#include "test.h"

int counter, message;
atomic_int ready;

__attribute__((no_sanitize("thread"))) NOINLINE static int guess(void) {
  return counter;
}
__attribute__((no_sanitize_thread)) NOINLINE static void reset(int* at) {
  *at = 7;
}
static inline __attribute__((always_inline, no_sanitize("thread"))) int guess_inline(void) {
  return counter;
}
__attribute__((disable_sanitizer_instrumentation)) NOINLINE static int guess_plainly(void) {
  return counter;
}
__attribute__((no_sanitize("thread"))) NOINLINE static void publish(void) {
  atomic_store(&ready, 1);
}

THREAD(worker) {
  lock();
  counter = 1;
  unlock();
  message = 5;
  publish();
  order_wait();
  return NULL;
}

THREAD(watcher) {
  order_wait();
  const int guessed = guess() + guess_inline() + guess_plainly();
  reset(&counter);
  while (atomic_load(&ready) == 0) sched_yield();
  printf("%d %d\n", guessed, message);
  return NULL;
}

int main(void) {
  run_two(worker, watcher);
}
