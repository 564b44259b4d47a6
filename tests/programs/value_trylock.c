// Whether a trylock succeeded is looked at only after the access.
// TSAN: misses, as both got the lock in this run
#include "test.h"

int shared;

THREAD(writer) {
  lock();
  shared = 1;  // RACE(a) by value
  unlock();
  order_wait();
  return NULL;
}

THREAD(trier) {
  order_wait();
  int held = pthread_mutex_trylock(&mutex_) == 0;
  shared++;  // RACE(a) by value
  if (held) unlock();
  return NULL;
}

int main(void) {
  run_two(writer, trier);
  printf("%d\n", shared);
}
