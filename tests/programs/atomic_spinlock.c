// A spin lock of atomic_flag whose unlock is relaxed.
#include <stdatomic.h>

#include "test.h"

atomic_flag busy = ATOMIC_FLAG_INIT;
int shared;

NOINLINE static void take(void) {
  while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire)) sched_yield();
}

NOINLINE static void give_back(void) {
  atomic_flag_clear_explicit(&busy, memory_order_relaxed);
}

THREAD(worker) {
  for (int i = 0; i < 3; i++) {
    take();
    shared++;  // RACE(a)
    give_back();
  }
  order_wait();
  return NULL;
}

int main(void) {
  run_two(worker, worker);
  printf("%d\n", shared);
}
