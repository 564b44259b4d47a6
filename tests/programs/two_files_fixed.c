// SOURCES: parts/second.c
// Two threads call a function of another source file under the lock.
// NORACE
#include "test.h"

int second_add(int* sum, int amount);

int sum;
int results[2];

THREAD(first) {
  lock();
  results[0] = second_add(&sum, 4);
  unlock();
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  lock();
  results[1] = second_add(&sum, 5);
  unlock();
  return NULL;
}

int main(void) {
  run_two(first, second);
  printf("%d %d %d\n", sum, results[0], results[1]);
}
