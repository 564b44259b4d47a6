// LEVELS: O1
// A copy of a string reaches what was written without the lock only if the string is the longer one.
// NORACE
#include "test.h"

char text[32];
char copy[32];

THREAD(first) {
  copy[5] = 'x';
  lock();
  strcpy(text, "abcdefgh");
  unlock();
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  lock();
  strcpy(copy, text);
  unlock();
  return NULL;
}

int main(void) {
  run_two(first, second);
  puts(copy);
}
