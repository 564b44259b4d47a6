// ++, --, += and friends, under the lock.
// NORACE
#include "test.h"

signed char a;
unsigned short b;
int c;
long d = 7;

THREAD(worker) {
  lock();
  a++;
  --b;
  c += 5;
  d ^= 2;
  unlock();
  order_wait();
  return NULL;
}

int main(void) {
  run_two(worker, worker);
  printf("%d %d %d %ld\n", a, b, c, d);
}
