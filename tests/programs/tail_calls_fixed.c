// Functions that end in calls of one another; the last one takes the lock.
// NORACE
#include "test.h"

int shared;

NOINLINE static int even(int n, int steps);
NOINLINE static int odd(int n, int steps) {
  if (n == 0) return steps;
  return even(n - 1, steps + 1);
}
NOINLINE static int even(int n, int steps) {
  if (n == 0) {
    lock();
    shared += steps;
    unlock();
    return steps;
  }
  return odd(n - 1, steps + 1);
}

THREAD(first) {
  even(10, 0);
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  even(4, 0);
  return NULL;
}

int main(void) {
  run_two(first, second);
  printf("%d\n", shared);
}
