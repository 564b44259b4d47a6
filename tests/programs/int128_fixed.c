// A 128-bit integer is written and read under the lock.
// NORACE
#include "test.h"

unsigned __int128 wide = 5;
unsigned long seen;

THREAD(first) {
  lock();
  wide = wide * 0x123456789abcdefULL * 1000003 + 7;
  unlock();
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  lock();
  seen = (unsigned long)(wide >> 64) + (unsigned long)wide;
  unlock();
  return NULL;
}

int main(void) {
  run_two(first, second);
  printf("%lx\n", seen);
}
