// Sorting touches its array alone; equal elements keep their order; the comparison may be of any size.
// NORACE
#include "test.h"

struct Pair {
  int key, number;
  char more[40];
};
struct Pair pairs[40];
int before = 1, after = 2;

static int compare(const void* a, const void* b) {
  return ((const struct Pair*)a)->key - ((const struct Pair*)b)->key;
}

THREAD(first) {
  qsort(pairs, 39, sizeof(struct Pair), compare);
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  pairs[39].key = 7;
  before = after = 3;
  return NULL;
}

int main(void) {
  for (int i = 0; i < 40; ++i) pairs[i].key = i * 7 % 5, pairs[i].number = i;
  run_two(first, second);
  for (int i = 1; i < 39; ++i)
    must(pairs[i - 1].key < pairs[i].key || (pairs[i - 1].key == pairs[i].key && pairs[i - 1].number < pairs[i].number));
  printf("%d\n", pairs[39].number);
}
