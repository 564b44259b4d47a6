// The state of erand48 is the caller's: two threads share one.
#include "test.h"

unsigned short seed[3] = {1, 2, 3};
double drawn[2];

NOINLINE static double draw(unsigned short* x) {
  return erand48(x);  // RACE(a)
}

THREAD(first) {
  drawn[0] = draw(seed);
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  drawn[1] = draw(seed);
  return NULL;
}

int main(void) {
  run_two(first, second);
  printf("%d\n", drawn[0] != drawn[1]);
}
