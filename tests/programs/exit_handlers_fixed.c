// EXIT: 2
// exit() in a thread runs the atexit handler, which takes the lock.
// NORACE
#include "test.h"

int shared;

static void at_exit(void) {
  lock();
  int seen = shared;
  unlock();
  printf("%d\n", seen);
}

THREAD(first) {
  lock();
  shared = 4;
  unlock();
  order_wait();
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  exit(2);
}

int main(void) {
  atexit(at_exit);
  run_two(first, second);
}
