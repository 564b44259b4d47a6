// EXIT: 134
// A thread aborts after a race: the recording survives.
#include "test.h"

int shared;

THREAD(first) {
  shared++;  // RACE(a)
  order_wait();
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  shared++;  // RACE(a)
  abort();
}

int main(void) {
  printf("start\n");
  fflush(stdout);
  run_two(first, second);
}
