// One thread writes to a mapping, another unmaps it, and nothing says who is first.
#include <sys/mman.h>

#include "test.h"

static char* pages;

THREAD(user) {
  pages[5000] = 1;  // FREED(a)
  order_wait();
  return NULL;
}

THREAD(owner) {
  order_wait();
  munmap(pages, 1 << 20);  // FREED(a)
  return NULL;
}

int main(void) {
  pages = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  run_two(user, owner);
  return 0;
}
