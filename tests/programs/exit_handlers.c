// EXIT: 2
// exit() in a thread runs the atexit handler, which reads what another thread wrote.
#include "test.h"

int shared;

static void at_exit(void) {
  int seen = shared;  // RACE(a)
  printf("%d\n", seen);
}

THREAD(first) {
  shared = 4;  // RACE(a)
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
