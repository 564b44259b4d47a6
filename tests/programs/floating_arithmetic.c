// LIBS: -lm
// Floating-point arithmetic, comparisons with NaN, conversions: the model must compute every store.
// NORACE
#include <math.h>
#include <stdint.h>

#include "test.h"

double results[12];
int bits;

NOINLINE static void work(double x, float y) {
  results[0] = x * y - x / (y + 10);
  results[1] = (double)(float)(x + 0.1);
  results[2] = (double)(int64_t)(x * 1000) + (double)(uint32_t)(y < 0 ? -y : y);
  results[3] = x > y ? x : y;
  results[4] = -x;
  results[5] = fabs(x) + sqrt(fabs(x));
  results[6] += (double)(bits & 7) * 0.5;
  results[7] = fmod(x, 3.0);
  float narrow = y * y + (float)x;
  results[8] = narrow;
  const double nan = x / 0.0 - x / 0.0;
  bits = (x < y) | (x <= y) << 1 | (x == y) << 2 | (nan == nan) << 3 | (nan != x) << 4 | !(nan < x) << 5;
  results[9] = (double)(uint64_t)(fabs(x) * 1e15);
  results[10] = (double)bits;
  uint64_t raw;
  memcpy(&raw, &results[0], 8);
  results[11] = (double)(raw & 0xfff);
}

THREAD(worker) {
  lock();
  for (int i = -3; i < 5; i++) work(i * 1.37, (float)i * -0.5f + 1);
  unlock();
  return NULL;
}

int main(void) {
  run_two(worker, worker);
  for (int i = 0; i < 12; i++) printf("%.10g\n", results[i]);
  printf("%d\n", bits);
}
