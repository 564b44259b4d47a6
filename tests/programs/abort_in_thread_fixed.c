// EXIT: 134
// A thread aborts; nothing raced.
// NORACE
#include "test.h"

int shared;

THREAD(first) {
  lock();
  shared++;
  unlock();
  order_wait();
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  lock();
  shared++;
  unlock();
  abort();
}

int main(void) {
  printf("start\n");
  fflush(stdout);
  run_two(first, second);
}
