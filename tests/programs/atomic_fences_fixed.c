// TSAN: alarms (it does not support fences)
// Relaxed accesses with a release fence before and an acquire fence after.
// NORACE
#include <stdatomic.h>

#include "test.h"

atomic_int flag;
int message;

THREAD(sender) {
  message = 5;
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
  order_wait();
  return NULL;
}

THREAD(receiver) {
  order_wait();
  while (!atomic_load_explicit(&flag, memory_order_relaxed)) sched_yield();
  atomic_thread_fence(memory_order_acquire);
  message++;
  return NULL;
}

int main(void) {
  run_two(sender, receiver);
  printf("%d\n", message);
}
