// LEVELS: O1
// Memory is searched under the lock of who writes what is found, and one of the bytes before it is written without.
#include "test.h"

char text[32] = "ABCDEFG";
long place;

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
  const char* const found = memchr(text, 'h', sizeof(text));  // RACE(a) by syncp
  unlock();
  place = found - text;
  return NULL;
}

int main(void) {
  run_two(first, second);
  printf("%ld\n", place);
}
