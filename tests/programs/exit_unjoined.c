// Main returns before the thread that it made has run: the race is between what main did last and the thread.
// EXIT: 3
#include "test.h"

int shared;

THREAD(worker) {
  shared = 1;  // RACE(a)
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  shared = 2;  // RACE(a)
  return 3;
}
