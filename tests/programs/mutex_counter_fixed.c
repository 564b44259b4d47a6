// Two threads increment a counter under a mutex.
// NORACE
#include "test.h"

long counter;

NOINLINE static void increment(void) {
  lock();
  counter++;
  unlock();
}

THREAD(worker) {
  for (int i = 0; i < 10; i++) increment();
  order_wait();
  return NULL;
}

int main(void) {
  run_two(worker, worker);
  printf("%ld\n", counter);
}
