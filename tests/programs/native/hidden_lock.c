// A lock that no pointer leads to: its word is at an address that only this code knows. Compiled without racecast.
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>

#define PLACE ((int*)0x250000000000)

__attribute__((constructor)) static void make_place(void) {
  if (mmap(PLACE, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != PLACE) abort();
}

void hidden_lock(void) {
  int expected = 0;
  while (!__atomic_compare_exchange_n(PLACE, &expected, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
    expected = 0;
    sched_yield();
  }
}

void hidden_unlock(void) {
  __atomic_store_n(PLACE, 0, __ATOMIC_RELEASE);
}
