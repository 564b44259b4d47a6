// The accesses are inside the critical sections.
// NORACE
#include "test.h"

int shared;
int seen;

THREAD(writer) {
  lock();
  shared = 1;
  unlock();
  order_wait();
  return NULL;
}

THREAD(reader) {
  order_wait();
  lock();
  seen = shared;
  unlock();
  return NULL;
}

int main(void) {
  run_two(writer, reader);
  printf("%d\n", seen);
}
