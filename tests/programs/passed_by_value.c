// A struct that is passed by value is read where it is passed.
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
  shared.part[2] = 7;  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(reader) {
  order_wait();
  seen = third(shared);  // RACE(a)
  return NULL;
}

int main(void) {
  run_two(writer, reader);
  printf("%ld\n", seen);
}
