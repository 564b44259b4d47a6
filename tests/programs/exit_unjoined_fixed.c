// Main returns before the thread that it made has run; the two take a lock.
// EXIT: 3
// NORACE
#include "test.h"

int shared;

THREAD(worker) {
  lock();
  shared = 1;
  unlock();
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  lock();
  shared = 2;
  unlock();
  return 3;
}
