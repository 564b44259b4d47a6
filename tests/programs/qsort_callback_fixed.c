// The comparison that qsort calls counts into a thread-local variable.
// NORACE
#include "test.h"

_Thread_local int comparisons;
int left[6] = {5, 2, 9, 1, 7, 3};
int right[6] = {4, 8, 6, 0, 2, 1};

static int compare(const void* a, const void* b) {
  comparisons++;
  return *(const int*)a - *(const int*)b;
}

THREAD(first) {
  qsort(left, 6, sizeof(int), compare);
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  qsort(right, 6, sizeof(int), compare);
  return NULL;
}

int main(void) {
  run_two(first, second);
  int key = 7;
  int* found = bsearch(&key, left, 6, sizeof(int), compare);
  printf("%d %d %d\n", left[0], right[5], (int)(found - left));
}
