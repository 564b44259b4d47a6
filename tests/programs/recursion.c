// A recursive function counts its calls in a global without a lock.
#include "test.h"

int calls;
int results[2];

NOINLINE static int fibonacci(int n) {
  calls++;  // RACE(a)
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

THREAD(first) {
  results[0] = fibonacci(6);
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  results[1] = fibonacci(5);
  return NULL;
}

int main(void) {
  run_two(first, second);
  printf("%d %d\n", results[0], results[1]);
}
