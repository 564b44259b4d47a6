// A complex number is updated under the lock.
// NORACE
#include <complex.h>

#include "test.h"

double complex z = 1.0 + 2.0 * I;

THREAD(worker) {
  lock();
  z = z * z + 0.5;
  unlock();
  order_wait();
  return NULL;
}

int main(void) {
  run_two(worker, worker);
  printf("%g %g\n", creal(z), cimag(z));
}
