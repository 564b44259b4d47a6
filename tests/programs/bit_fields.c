// Two bit-fields share their bytes: writing one rewrites the other.
#include "test.h"

struct Flags {
  unsigned a : 3;
  unsigned b : 5;
};
struct Flags flags;

THREAD(first) {
  flags.a = 2;  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  flags.b = 3;  // RACE(a)
  return NULL;
}

int main(void) {
  run_two(first, second);
  printf("%d %d\n", flags.a, flags.b);
}
