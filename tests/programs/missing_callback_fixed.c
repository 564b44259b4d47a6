// NATIVE: native/counter.c
// A library without hooks calls back; the callback takes the lock.
// NORACE
#include "test.h"

void for_each(int* numbers, int count, void (*function)(int, void*), void* context);

int left[3] = {1, 2, 3};
int right[2] = {4, 5};
int total;

static void add(int number, UNUSED void* context) {
  lock();
  total += number;
  unlock();
}

THREAD(first) {
  for_each(left, 3, add, NULL);
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  for_each(right, 2, add, NULL);
  return NULL;
}

int main(void) {
  run_two(first, second);
  printf("%d\n", total);
}
