// LEVELS: O1
// How much is filled another thread stored, the same as was there before, and it covers the byte that it wrote without a lock.
#include "test.h"

char buffer[64];
size_t length;

THREAD(first) {
  buffer[20] = 1;  // RACE(a) by maximal
  lock();
  length = 32;
  unlock();
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  lock();
  const size_t mine = length;
  unlock();
  memset(buffer, 2, mine);  // RACE(a) by maximal
  return NULL;
}

int main(void) {
  length = 32;
  run_two(first, second);
  printf("%d\n", buffer[0]);
}
