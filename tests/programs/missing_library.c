// NATIVE: native/counter.c
// A library without hooks works on two counters; the program's own access beside it races.
#include "test.h"

void counter_add(int* counter, int amount);
int counter_get(const int* counter);

int mine, shared;
int seen;

THREAD(first) {
  counter_add(&mine, 4);
  shared++;  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  shared++;  // RACE(a)
  return NULL;
}

int main(void) {
  run_two(first, second);
  seen = counter_get(&mine);
  printf("%d %d\n", seen, shared);
}
