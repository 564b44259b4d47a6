// The race that others miss: two empty critical sections ran in the order that hides it.
#include "test.h"

int shared;
int seen;

THREAD(writer) {
  shared = 1;  // RACE(a) by syncp
  lock();
  unlock();
  order_wait();
  return NULL;
}

THREAD(reader) {
  order_wait();
  lock();
  unlock();
  seen = shared;  // RACE(a) by syncp
  return NULL;
}

int main(void) {
  run_two(writer, reader);
  printf("%d\n", seen);
}
