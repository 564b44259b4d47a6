// A counter that is atomic in both threads.
// NORACE
#include "test.h"

int counter;

THREAD(first) {
  __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  __atomic_add_fetch(&counter, 1, __ATOMIC_RELAXED);
  return NULL;
}

int main(void) {
  run_two(first, second);
  printf("%d\n", counter);
}
