// A block is grown by realloc while another thread writes into it.
#include "test.h"

int* numbers;
int count;

NOINLINE static void append(int number) {
  numbers = realloc(numbers, (size_t)(count + 1) * 100 * sizeof *numbers);  // RACE(a) RACE(c): it copies
  numbers[count] = number;  // RACE(b)
  count++;
}

THREAD(first) {
  append(1);
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  int* mine = numbers;  // RACE(a)
  mine[0]++;            // RACE(b) RACE(c)
  return NULL;
}

int main(void) {
  numbers = calloc(1, sizeof *numbers);
  run_two(first, second);
  printf("%d\n", numbers[0]);
  free(numbers);
}
