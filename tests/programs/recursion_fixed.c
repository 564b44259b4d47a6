// A recursive function counts its calls in a parameter.
// NORACE
#include "test.h"

int results[2];

NOINLINE static int fibonacci(int n, int* calls) {
  ++*calls;
  return n < 2 ? n : fibonacci(n - 1, calls) + fibonacci(n - 2, calls);
}

THREAD(first) {
  int calls = 0;
  results[0] = fibonacci(6, &calls);
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  int calls = 0;
  results[1] = fibonacci(5, &calls);
  return NULL;
}

int main(void) {
  run_two(first, second);
  printf("%d %d\n", results[0], results[1]);
}
