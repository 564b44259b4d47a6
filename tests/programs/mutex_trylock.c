// A failed trylock is ignored.
#include "test.h"

int shared;

THREAD(holder) {
  lock();
  order_wait();
  order_wait();
  shared++;  // RACE(a)
  unlock();
  order_wait();
  return NULL;
}

THREAD(trier) {
  order_wait();
  int failed = pthread_mutex_trylock(&mutex_);
  order_wait();
  order_wait();
  shared++;  // RACE(a)
  if (!failed) unlock();
  return NULL;
}

int main(void) {
  run_two(holder, trier);
  int taken = pthread_mutex_trylock(&mutex_) == 0;
  printf("%d %d\n", shared, taken);
  unlock();
}
