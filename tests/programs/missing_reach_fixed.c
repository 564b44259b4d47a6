// NATIVE: native/counter.c
// The library is called under the lock.
// NORACE
#include "test.h"

void counter_add(int* counter, int amount);

int shared;

THREAD(first) {
  lock();
  counter_add(&shared, 4);
  unlock();
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  lock();
  shared++;
  unlock();
  return NULL;
}

int main(void) {
  run_two(first, second);
  printf("%d\n", shared);
}
