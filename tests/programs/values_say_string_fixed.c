// LEVELS: O1
// A string is measured under the lock of who makes it longer; only then it reaches the byte that was written without.
// NORACE
#include "test.h"

char text[32] = "";
size_t length;

THREAD(first) {
  text[5] = 'f';
  lock();
  memcpy(text, "abcde", 5);
  unlock();
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  lock();
  length = strlen(text);
  unlock();
  return NULL;
}

int main(void) {
  run_two(first, second);
  printf("%zu\n", length);
}
