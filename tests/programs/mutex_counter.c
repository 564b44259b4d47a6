// Two threads increment a counter without a lock.
#include "test.h"

long counter;

NOINLINE static void increment(void) {
  counter++;  // RACE(a)
}

THREAD(worker) {
  for (int i = 0; i < 10; i++) increment();
  order_wait();
  return NULL;
}

int main(void) {
  run_two(worker, worker);
  printf("%d\n", counter <= 20);
}
