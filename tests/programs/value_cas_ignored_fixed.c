// A compare-and-swap claims a slot, and whoever does not get it leaves the payload alone.
// NORACE
#include "test.h"

long slot;  // 0: free
int payload;

THREAD(owner) {
  __atomic_store_n(&slot, 1, __ATOMIC_RELAXED);
  payload = 1;
  __atomic_store_n(&slot, 0, __ATOMIC_RELEASE);
  order_wait();
  return NULL;
}

THREAD(claimer) {
  order_wait();
  if (__sync_bool_compare_and_swap(&slot, 0, 2)) payload++;
  return NULL;
}

int main(void) {
  run_two(owner, claimer);
  printf("%d %ld\n", payload, slot);
}
