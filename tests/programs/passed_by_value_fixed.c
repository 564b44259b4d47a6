// A struct that is passed by value is the callee's own: what is passed is copied under the lock.
// NORACE
#include "test.h"

struct wide {
  long part[6];
};
struct wide shared;
long seen;

NOINLINE static long third(struct wide copy) {
  return copy.part[2];
}

THREAD(writer) {
  lock();
  shared.part[2] = 7;
  unlock();
  order_wait();
  return NULL;
}

THREAD(reader) {
  order_wait();
  lock();
  seen = third(shared);
  unlock();
  return NULL;
}

int main(void) {
  run_two(writer, reader);
  printf("%ld\n", seen);
}
