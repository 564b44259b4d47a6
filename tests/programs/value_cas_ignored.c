// A compare-and-swap claims a slot, and nobody asks whether it did: the payload is read while it is written.
// TSAN: misses, as the slot was free in this run
#include "test.h"

long slot;  // 0: free
int payload;

THREAD(owner) {
  __atomic_store_n(&slot, 1, __ATOMIC_RELAXED);
  payload = 1;  // RACE(a) by value
  __atomic_store_n(&slot, 0, __ATOMIC_RELEASE);
  order_wait();
  return NULL;
}

THREAD(claimer) {
  order_wait();
  __sync_bool_compare_and_swap(&slot, 0, 2);
  payload++;  // RACE(a) by value
  return NULL;
}

int main(void) {
  run_two(owner, claimer);
  printf("%d %ld\n", payload, slot);
}
