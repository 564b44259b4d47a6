// ++, --, += and friends are a read and a write each.
#include "test.h"

signed char a;
unsigned short b;
int c;
long d = 7;

THREAD(worker) {
  a++;      // RACE(a)
  --b;      // RACE(b)
  c += 5;   // RACE(c)
  d ^= 2;   // RACE(d)
  order_wait();
  return NULL;
}

int main(void) {
  run_two(worker, worker);
  printf("%d\n", a > 0 && b != 0 && c > 0 && d != 0);
}
