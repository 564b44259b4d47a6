// EXIT: 139
// A thread follows a null pointer after a race: the recording survives.
#include "test.h"

int shared;
int* nowhere;

THREAD(first) {
  shared++;  // MISSED-RACE(a)
  order_wait();
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  shared++;  // MISSED-RACE(a) what happened since the last call is written at the next
  *nowhere = 1;
  return NULL;
}

int main(void) {
  run_two(first, second);
}
