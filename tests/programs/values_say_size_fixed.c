// LEVELS: O1
// How much is filled depends on what another thread stored; only what it stored after its write covers that byte.
// NORACE
#include "test.h"

char buffer[64];
size_t length;

THREAD(first) {
  buffer[20] = 1;
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
  memset(buffer, 2, mine);
  return NULL;
}

int main(void) {
  length = 8;
  run_two(first, second);
  printf("%d\n", buffer[0]);
}
