// Nested loops with break and continue; the count is added under the lock.
// NORACE
#include "test.h"

int shared;

NOINLINE static void found(int* mine) {
  ++*mine;
}

NOINLINE static void count(int limit) {
  int mine = 0;
  for (int i = 0; i < limit; i++) {
    if (i % 3 == 1) continue;
    int j = i;
    while (1) {
      if (j * j > 2 * limit) break;
      found(&mine);
      j++;
    }
    do {
      mine += j--;
    } while (j > i);
  }
  lock();
  shared += mine;
  unlock();
}

THREAD(first) {
  count(6);
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  count(4);
  return NULL;
}

int main(void) {
  run_two(first, second);
  printf("%d\n", shared);
}
