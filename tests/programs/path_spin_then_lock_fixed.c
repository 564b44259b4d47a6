// A few tries, and then it waits for the lock.
// NORACE
#include "test.h"

int shared;

THREAD(writer) {
  lock();
  order_wait();
  order_wait();
  shared = 1;
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
  if (!held) lock();
  shared++;
  unlock();
  return NULL;
}

int main(void) {
  run_two(writer, trier);
  printf("%d\n", shared);
}
