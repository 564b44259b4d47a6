// Blocks of posix_memalign, aligned_alloc, memalign and calloc, each used by one thread at a time.
// NORACE
#include <malloc.h>

#include "test.h"

int* shared;
int sum[2];

NOINLINE static int use(int base) {
  void* a = NULL;
  if (posix_memalign(&a, 64, 128) != 0) return -1;
  int* b = aligned_alloc(32, 64);
  int* c = memalign(128, 256);
  int* d = calloc(10, sizeof(int));
  ((int*)a)[1] = base;
  b[2] = ((int*)a)[1] + 1;
  c[3] = b[2] + 1;
  d[9] += c[3];
  int result = d[9];
  free(a);
  free(b);
  free(c);
  free(d);
  return result;
}

THREAD(first) {
  sum[0] = use(1);
  shared[0] = 1;
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  sum[1] = use(2);
  shared[1]++;
  return NULL;
}

int main(void) {
  shared = calloc(4, sizeof *shared);
  run_two(first, second);
  printf("%d %d %d\n", sum[0], sum[1], shared[0] + shared[1]);
  free(shared);
}
