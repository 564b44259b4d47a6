// Whether a trylock succeeded is looked at before the access.
// NORACE
#include "test.h"

int shared;

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
  }
  return NULL;
}

int main(void) {
  run_two(writer, trier);
  printf("%d\n", shared);
}
