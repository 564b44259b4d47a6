// A thread finds an environment variable not set, which another one sets later: that is no order of what they did before.
#include <stdlib.h>
#include "test.h"

int data;

THREAD(tells) {
  order_wait();
  data = 1;  // RACE(a)
  lock();
  setenv("TOLD", "1", 1);
  unlock();
  return NULL;
}

THREAD(looks) {
  lock();
  const int told = getenv("TOLD") != NULL;
  unlock();
  if (!told) data = 2;  // RACE(a)
  order_wait();
  return NULL;
}

int main(void) {
  run_two(tells, looks);
  return data == 0;
}
