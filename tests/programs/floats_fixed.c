// float, double and long double are read and written under the lock.
// NORACE
#include "test.h"

float f = 1.5f;
double d = 2.5;
long double l = 3.5L;

NOINLINE static double mix(double x) {
  return x < 10 ? x * 2 - 1 : x / 3 + (double)(int)x;
}

THREAD(first) {
  lock();
  f = (float)mix(f);
  d = mix(d) + (float)d;
  l = l * 2 + (long double)1;
  unlock();
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  lock();
  f = -f;
  d += 100;
  l -= 0.25L;
  unlock();
  return NULL;
}

int main(void) {
  run_two(first, second);
  printf("%g %g %Lg %d\n", (double)f, mix(d), l, d != d);
}
