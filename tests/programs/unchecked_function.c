// A function that is marked no_sanitize("thread") reads a counter, which is fine; but another one does, too.
#include "test.h"

int counter;

__attribute__((no_sanitize("thread"))) NOINLINE static int guess(void) {
  return counter;
}

THREAD(worker) {
  lock();
  counter = 1;  // RACE(a)
  unlock();
  order_wait();
  return NULL;
}

THREAD(watcher) {
  order_wait();
  const int guessed = guess();
  const int seen = counter;  // RACE(a)
  printf("%d\n", guessed == seen);
  return NULL;
}

int main(void) {
  run_two(worker, watcher);
}
