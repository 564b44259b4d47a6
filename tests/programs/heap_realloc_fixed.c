// A block is grown by realloc and filled under the lock.
// NORACE
#include "test.h"

int* numbers;
int count;

NOINLINE static void append(int number) {
  lock();
  numbers = realloc(numbers, (size_t)(count + 1) * 100 * sizeof *numbers);
  numbers[count] = number;
  count++;
  unlock();
}

THREAD(first) {
  append(1);
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  append(2);
  return NULL;
}

int main(void) {
  numbers = calloc(1, sizeof *numbers);
  run_two(first, second);
  printf("%d %d\n", numbers[0], numbers[1]);
  free(numbers);
}
