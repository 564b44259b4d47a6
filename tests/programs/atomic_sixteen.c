// FLAGS: -mcx16
// LIBS: -latomic
// An atomic of 16 bytes publishes nothing with relaxed order.
#include "test.h"

unsigned __int128 wide;
int payload;

THREAD(writer) {
  payload = 3;  // RACE(a)
  unsigned __int128 value = ((unsigned __int128)1 << 64) | 2;
  __atomic_store_n(&wide, value, __ATOMIC_RELAXED);
  order_wait();
  return NULL;
}

THREAD(reader) {
  order_wait();
  unsigned __int128 seen = __atomic_load_n(&wide, __ATOMIC_RELAXED);
  payload += (int)(seen >> 64) + (int)seen;  // RACE(a)
  unsigned __int128 expected = seen;
  __atomic_compare_exchange_n(&wide, &expected, seen + 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return NULL;
}

int main(void) {
  run_two(writer, reader);
  printf("%d %d\n", payload, (int)wide);
}
