// Constant data is read by all: no race, whatever else is written.
// NORACE
#include "test.h"

const int table[4] = {2, 3, 5, 7};
static const char* const names[] = {"two", "three", "five", "seven"};
int sums[2];

NOINLINE static int sum(int last) {
  int total = 0;
  for (int i = 0; i < last; i++) total += table[i] * names[i][0];
  return total;
}

THREAD(first) {
  sums[0] = sum(4);
  return NULL;
}

THREAD(second) {
  sums[1] = sum(3);
  return NULL;
}

int main(void) {
  run_two(first, second);
  printf("%d %d\n", sums[0], sums[1]);
}
