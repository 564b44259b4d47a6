// A few tries, and then without the lock: the last of them is a branch that was not taken.
// TSAN: misses, as a try got the lock in this run
#include "test.h"

int shared;

THREAD(writer) {
  lock();
  order_wait();
  order_wait();
  shared = 1;  // RACE(a) by path
  unlock();
  order_wait();
  return NULL;
}

THREAD(trier) {
  order_wait();
  int held = pthread_mutex_trylock(&mutex_) == 0;
  order_wait();
  order_wait();
  if (!held) held = pthread_mutex_trylock(&mutex_) == 0;
  if (held) {
    shared++;
    unlock();
  } else {
    shared = 5;  // RACE(a) by path
  }
  return NULL;
}

int main(void) {
  run_two(writer, trier);
  printf("%d\n", shared);
}
