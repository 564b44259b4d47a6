// A counter that is atomic in one thread and plain in the other.
#include "test.h"

int counter;

THREAD(first) {
  __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  counter++;  // RACE(a)
  return NULL;
}

int main(void) {
  run_two(first, second);
  printf("%d\n", counter);
}
