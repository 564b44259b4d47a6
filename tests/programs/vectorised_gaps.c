// FLAGS: -fvectorize -fslp-vectorize -Werror
// One thread sums a member of all elements while the other writes the member beside it: a vectorised loop would read both.
// NORACE
#include "test.h"

struct Pair {
  int read, written;
} pairs[64];
int sums[2];

NOINLINE static int sum(const struct Pair* p) {
  int total = 0;
  for (int i = 0; i < 64; i++) total += p[i].read;
  return total;
}

NOINLINE static int sum_by_order(const struct Pair* p) {
  int total = 0;
#pragma clang loop vectorize(enable) interleave(enable)
  for (int i = 0; i < 64; i++) total += p[i].read;
  return total;
}

THREAD(first) {
  sums[0] = sum(pairs);
  sums[1] = sum_by_order(pairs);
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  for (int i = 0; i < 64; i++) pairs[i].written = i;
  return NULL;
}

int main(void) {
  for (int i = 0; i < 64; i++) pairs[i].read = i;
  run_two(first, second);
  printf("%d %d %d\n", sums[0], sums[1], pairs[63].written);
}
