// Each thread has its own state.
// NORACE
#include "test.h"

struct {
  unsigned short seed[3], next;
} states[2];
double drawn[2];

NOINLINE static double draw(unsigned short* x) {
  return erand48(x);
}

THREAD(first) {
  drawn[0] = draw(states[0].seed);
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  states[0].next = 1;
  drawn[1] = draw(states[1].seed);
  return NULL;
}

int main(void) {
  run_two(first, second);
  printf("%d\n", drawn[0] == drawn[1]);
}
