// Whoever does not get the lock does it without: a branch that was not taken.
// TSAN: misses, as both got the lock in this run
#include "test.h"

int shared, other;

THREAD(writer) {
  lock();
  shared = 1;  // RACE(a) by path
  unlock();
  order_wait();
  return NULL;
}

THREAD(trier) {
  order_wait();
  if (pthread_mutex_trylock(&mutex_) == 0) {
    shared++;
    unlock();
  } else {
    other = 1;
    shared = 5;  // RACE(a) by path
  }
  return NULL;
}

int main(void) {
  run_two(writer, trier);
  printf("%d %d\n", shared, other);
}
