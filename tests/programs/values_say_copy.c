// LEVELS: O1
// What a copy of a string overwrites was written without the lock, under which nobody changes the string.
#include "test.h"

char text[32] = "abcdefgh";
char copy[32];
int other;

THREAD(first) {
  copy[5] = 'x';  // RACE(a) by syncp
  lock();
  other = 1;
  unlock();
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  lock();
  strcpy(copy, text);  // RACE(a) by syncp
  unlock();
  return NULL;
}

int main(void) {
  run_two(first, second);
  printf("%s %d\n", copy, other);
}
