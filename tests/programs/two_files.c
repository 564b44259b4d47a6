// SOURCES: parts/second.c
// Two threads call a function of another source file, which adds without a lock and counts its calls.
#include "test.h"

int second_add(int* sum, int amount);

int sum;
int results[2];

THREAD(first) {
  results[0] = second_add(&sum, 4);  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  results[1] = second_add(&sum, 5);  // RACE(a)
  return NULL;
}

int main(void) {
  run_two(first, second);
  printf("%d %d %d\n", sum, results[0], results[1]);
}
