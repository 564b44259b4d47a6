// A lock taken by __sync_lock_test_and_set is given back by a relaxed store.
#include "test.h"

int busy;
int shared;
long counter;

NOINLINE static void take(void) {
  while (__sync_lock_test_and_set(&busy, 1)) sched_yield();
}

THREAD(first) {
  take();
  shared++;  // RACE(a)
  __atomic_store_n(&busy, 0, __ATOMIC_RELAXED);
  __sync_fetch_and_add(&counter, 2);
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  take();
  shared++;  // RACE(a)
  __sync_lock_release(&busy);
  __sync_synchronize();
  __sync_sub_and_fetch(&counter, 1);
  __sync_bool_compare_and_swap(&counter, 1, 10);
  return NULL;
}

int main(void) {
  run_two(first, second);
  long old = __sync_val_compare_and_swap(&counter, 10, 11);
  printf("%d %ld %ld\n", shared, old, counter);
}
