// TSAN: misses (as racecast does)
// NATIVE: native/counter.c
// The library itself writes the shared counter: what code without hooks does is not seen.
#include "test.h"

void counter_add(int* counter, int amount);

int shared;

THREAD(first) {
  counter_add(&shared, 4);  // MISSED-RACE(a) no hooks in the library
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  shared++;  // MISSED-RACE(a)
  return NULL;
}

int main(void) {
  run_two(first, second);
  printf("%d\n", shared);
}
