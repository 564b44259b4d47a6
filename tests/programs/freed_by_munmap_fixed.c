// As freed_by_munmap.c, but the mapping goes when both threads have ended.
// NORACE
#include <sys/mman.h>

#include "test.h"

static char* pages;

THREAD(user) {
  pages[5000] = 1;
  order_wait();
  return NULL;
}

THREAD(other) {
  order_wait();
  pages[6000] = 1;
  return NULL;
}

int main(void) {
  pages = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  run_two(user, other);
  munmap(pages, 1 << 20);
  return 0;
}
