// One thread seeds the random numbers, another one draws one. What is done after that, nothing orders.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdlib.h>
#include "test.h"

int data;

THREAD(tells) {
  lock();
  srand(7);
  unlock();
  data = 1;  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(looks) {
  order_wait();
  lock();
  const int told = rand() != 3;
  unlock();
  if (told) data = 2;  // RACE(a)
  return NULL;
}

int main(void) {
  run_two(tells, looks);
  return data == 0;
}
