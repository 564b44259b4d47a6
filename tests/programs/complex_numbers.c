// A complex number is updated without a lock.
#include <complex.h>

#include "test.h"

double complex z = 1.0 + 2.0 * I;

THREAD(worker) {
  z = z * z + 0.5;  // RACE(a)
  order_wait();
  return NULL;
}

int main(void) {
  run_two(worker, worker);
  printf("%d\n", creal(z) != 1.0);
}
