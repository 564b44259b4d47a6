// Two members with bytes of their own.
// NORACE
#include "test.h"

struct Flags {
  unsigned char a;
  unsigned char b;
};
struct Flags flags;

THREAD(first) {
  flags.a = 2;
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  flags.b = 3;
  return NULL;
}

int main(void) {
  run_two(first, second);
  printf("%d %d\n", flags.a, flags.b);
}
