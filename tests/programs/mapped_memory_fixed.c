// A mapping is unmapped by one thread; the next thread's mapping lies at the same address.
// FLAGS: -D_GNU_SOURCE
// NORACE
#include <sys/mman.h>

#include "test.h"

char* page;
int sum;

NOINLINE static int use(char* at, int number) {
  char* mine = mmap(at, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mine[8] = (char)number;
  int result = mine[8] + (mine == at);
  munmap(mine, 4096);
  return result;
}

THREAD(first) {
  int mine = use(page, 1);
  lock();
  sum += mine;
  unlock();
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  int mine = use(page, 2);
  lock();
  sum += mine;
  unlock();
  return NULL;
}

int main(void) {
  page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(page, 4096);
  run_two(first, second);
  printf("%d\n", sum);
}
