// A spin lock of atomic_flag: acquire to take, release to give back.
// NORACE
#include <stdatomic.h>

#include "test.h"

atomic_flag busy = ATOMIC_FLAG_INIT;
int shared;

NOINLINE static void take(void) {
  while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire)) sched_yield();
}

NOINLINE static void give_back(void) {
  atomic_flag_clear_explicit(&busy, memory_order_release);
}

THREAD(worker) {
  for (int i = 0; i < 3; i++) {
    take();
    shared++;
    give_back();
  }
  order_wait();
  return NULL;
}

int main(void) {
  run_two(worker, worker);
  printf("%d\n", shared);
}
