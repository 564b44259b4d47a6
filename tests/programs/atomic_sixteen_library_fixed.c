// FLAGS: -mno-cx16
// LIBS: -latomic
// An atomic of 16 bytes through the sized functions of libatomic publishes with release and acquire order.
// NORACE
#include "test.h"

unsigned __int128 wide;
int payload;

THREAD(writer) {
  payload = 3;
  __atomic_store_n(&wide, 5, __ATOMIC_RELEASE);
  order_wait();
  return NULL;
}

THREAD(reader) {
  order_wait();
  int seen = (int)__atomic_load_n(&wide, __ATOMIC_ACQUIRE);
  if (!seen) return NULL;
  payload += seen;
  __atomic_fetch_add(&wide, 2, __ATOMIC_RELAXED);
  return NULL;
}

int main(void) {
  run_two(writer, reader);
  printf("%d %d\n", payload, (int)wide);
}
