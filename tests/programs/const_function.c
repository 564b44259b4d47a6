// SOURCES: parts/const_function.c
// A function of another file is declared to use no memory, and has hooks all the same: what it does is recorded between the reads around its calls. It returns a number or a structure.
// NORACE
#include "test.h"
#include "parts/const_function.h"

int numbers[2][3] = {{1, 2, 3}, {4, 5, 6}};
long sums[2];

NOINLINE static long sum(const int* n) {
  // The optimiser may put these reads before the calls, or behind them.
  const int a = n[0];
  const int b = const_root(n[1] * 100);
  const struct Parts p = const_parts(n[2] * 1.25);
  return a + b + p.whole * n[0] + p.thousandths + const_root(3);
}

THREAD(first) {
  sums[0] = sum(numbers[0]);
  return NULL;
}

THREAD(second) {
  sums[1] = sum(numbers[1]);
  return NULL;
}

int main(void) {
  run_two(first, second);
  printf("%ld %ld\n", sums[0], sums[1]);
}
