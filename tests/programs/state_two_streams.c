// One thread writes to a stream, another one asks where it is in another stream: that tells it nothing of the first.
#include <stdio.h>
#include "test.h"

int data;
FILE *one, *other;

THREAD(tells) {
  data = 1;  // RACE(a) by syncp
  lock();
  fputs("told", one);
  unlock();
  order_wait();
  return NULL;
}

THREAD(looks) {
  order_wait();
  lock();
  const int told = ftell(other) == 0;
  unlock();
  if (told) data = 2;  // RACE(a)
  return NULL;
}

int main(void) {
  one = tmpfile();
  other = tmpfile();
  run_two(tells, looks);
  return data == 0;
}
