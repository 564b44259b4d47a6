// EXIT: 139
// A thread follows a null pointer; nothing raced.
// NORACE
#include "test.h"

int shared;
int* nowhere;

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
  *nowhere = 1;
  return NULL;
}

int main(void) {
  run_two(first, second);
}
