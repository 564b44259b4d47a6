// A 128-bit integer is written in one thread and its upper half read in the other.
#include "test.h"

unsigned __int128 wide = 5;
unsigned long seen;

THREAD(first) {
  wide = wide * 0x123456789abcdefULL * 1000003 + 7;  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  seen = (unsigned long)(wide >> 64) + (unsigned long)wide;  // RACE(a)
  return NULL;
}

int main(void) {
  run_two(first, second);
  printf("%lx\n", seen);
}
