// NATIVE: native/gate.c
// LEVELS: O1
// Comparators without hooks, called by qsort, open and wait at a gate of their library.
// NORACE
#include "test.h"

int gate_compare_open(const void* a, const void* b);
int gate_compare_wait(const void* a, const void* b);

int shared;
static int one[2] = {2, 1}, two[2] = {2, 1};

THREAD(first) {
  shared = 1;
  qsort(one, 2, sizeof(int), gate_compare_open);
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  qsort(two, 2, sizeof(int), gate_compare_wait);
  shared = 2;
  return NULL;
}

int main(void) {
  run_two(first, second);
}
