// NATIVE: native/counter.c
// A library without hooks works on two counters; the program's own access is under the lock.
// NORACE
#include "test.h"

void counter_add(int* counter, int amount);
int counter_get(const int* counter);

int mine, shared;
int seen;

THREAD(first) {
  counter_add(&mine, 4);
  lock();
  shared++;
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
  seen = counter_get(&mine);
  printf("%d %d\n", seen, shared);
}
