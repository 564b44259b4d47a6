// LEVELS: O1
// Memory is searched under a lock; it gets to the byte that was written without only where another thread has taken
// away what would have been found before.
// NORACE
#include "test.h"

char text[32] = "h";
long place;

THREAD(first) {
  text[5] = 'h';
  lock();
  text[0] = 'a';
  unlock();
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  lock();
  const char* const found = memchr(text, 'h', sizeof(text));
  unlock();
  place = found - text;
  return NULL;
}

int main(void) {
  run_two(first, second);
  printf("%ld\n", place);
}
