// Whoever does not get the lock does something else.
// NORACE
#include "test.h"

int shared, other;

THREAD(writer) {
  lock();
  shared = 1;
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
  }
  return NULL;
}

int main(void) {
  run_two(writer, trier);
  printf("%d %d\n", shared, other);
}
