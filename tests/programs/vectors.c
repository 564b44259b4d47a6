// Explicit vector types: whole vectors and single lanes race.
#include "test.h"

typedef int Vector __attribute__((vector_size(16)));
typedef float Wide __attribute__((vector_size(32)));

Vector v = {1, 2, 3, 4};
int lane;
float sum;

NOINLINE static float total(const Wide* w) {
  Wide twice = *w + *w;
  float result = 0;
  for (int i = 0; i < 8; i++) result += twice[i];
  return result;
}

THREAD(first) {
  Wide w = {1, 2, 3, 4, 5, 6, 7, 8};
  sum = total(&w);
  v = v * 3 + (Vector){1, 1, 1, 1};  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  lane = v[2];  // RACE(a)
  return NULL;
}

int main(void) {
  run_two(first, second);
  printf("%d %g\n", lane, (double)sum);
}
