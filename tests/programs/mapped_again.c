// FLAGS: -D_GNU_SOURCE
// LEVELS: O1
// mremap of no bytes gives the same memory at a second address. The write comes too late.
#include <sched.h>
#include <sys/mman.h>

#include "test.h"

int shared;
static int *here, *there;

THREAD(first) {
  __atomic_store_n(here, 1, __ATOMIC_RELEASE);
  shared = 1;  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  while (!__atomic_load_n(there, __ATOMIC_ACQUIRE)) sched_yield();
  shared = 2;  // RACE(a)
  return NULL;
}

int main(void) {
  here = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  there = mremap(here, 0, 4096, MREMAP_MAYMOVE);
  must(there != MAP_FAILED);
  run_two(first, second);
}
