// LEVELS: O1
// A string is measured under the lock of who makes it longer, and one of its bytes is written without it.
#include "test.h"

char text[32] = "ABCDEFG";
size_t length;

THREAD(first) {
  text[5] = 'f';  // RACE(a) by syncp
  lock();
  text[7] = 'h';
  unlock();
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  lock();
  length = strlen(text);  // RACE(a) by syncp
  unlock();
  return NULL;
}

int main(void) {
  run_two(first, second);
  printf("%zu\n", length);
}
