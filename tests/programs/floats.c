// float, double and long double are read and written without a lock.
#include "test.h"

float f = 1.5f;
double d = 2.5;
long double l = 3.5L;

NOINLINE static double mix(double x) {
  return x < 10 ? x * 2 - 1 : x / 3 + (double)(int)x;
}

THREAD(first) {
  f = (float)mix(f);       // RACE(a)
  d = mix(d) + (float)d;   // RACE(b)
  l = l * 2 + (long double)1;  // RACE(c)
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  f = -f;         // RACE(a)
  d += 100;       // RACE(b)
  l -= 0.25L;     // RACE(c)
  return NULL;
}

int main(void) {
  run_two(first, second);
  printf("%g %g %Lg %d\n", (double)f, mix(d), l, d != d);
}
