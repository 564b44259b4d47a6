// Two threads write the same word of a mapping.
// FLAGS: -D_GNU_SOURCE
#include <sys/mman.h>

#include "test.h"

char* page;
int sum;

THREAD(first) {
  page[8] = 1;  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  page[8]++;  // RACE(a)
  return NULL;
}

int main(void) {
  page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  run_two(first, second);
  sum = page[8];
  munmap(page, 4096);
  printf("%d\n", sum);
}
