// A thread created detached, with a stack of a given size, increments under the mutex.
// NORACE
#include "test.h"

int counter;

THREAD(worker) {
  lock();
  counter++;
  unlock();
  order_wait();
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_attr_t attributes;
  order_init(2);
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, 1 << 20);
  pthread_create(&thread, &attributes, worker, NULL);
  pthread_attr_destroy(&attributes);
  order_wait();
  lock();
  int seen = ++counter;
  unlock();
  printf("%d\n", seen);
}
