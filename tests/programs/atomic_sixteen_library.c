// FLAGS: -mno-cx16
// LIBS: -latomic
// An atomic of 16 bytes through the sized functions of libatomic publishes nothing with relaxed order.
#include "test.h"

unsigned __int128 wide;
int payload;

THREAD(writer) {
  payload = 3;  // RACE(a)
  __atomic_store_n(&wide, 5, __ATOMIC_RELAXED);
  order_wait();
  return NULL;
}

THREAD(reader) {
  order_wait();
  int seen = (int)__atomic_load_n(&wide, __ATOMIC_RELAXED);
  payload += seen;  // RACE(a)
  __atomic_fetch_add(&wide, 2, __ATOMIC_RELAXED);
  return NULL;
}

int main(void) {
  run_two(writer, reader);
  printf("%d %d\n", payload, (int)wide);
}
