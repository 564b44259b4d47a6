// An array is sorted while another thread writes to it.
#include "test.h"

int numbers[6] = {5, 2, 9, 1, 7, 3};
int sorted[6] = {1, 2, 3, 4, 5, 6};

static int compare(const void* a, const void* b) {
  return *(const int*)a - *(const int*)b;  // RACE(b)
}

THREAD(first) {
  qsort(numbers, 6, sizeof(int), compare);  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  numbers[5] = 10;  // RACE(a) RACE(b)
  return NULL;
}

int main(void) {
  run_two(first, second);
  int key = 4;
  const int* const at = bsearch(&key, sorted, 6, sizeof(int), compare);
  printf("%d %d %d\n", numbers[0], numbers[4], (int)(at - sorted));
}
