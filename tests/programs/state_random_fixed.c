// One thread seeds the random numbers, another one draws one. What was done before that is before what is done after it was seen.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdlib.h>
#include "test.h"

int data;
// NORACE

THREAD(tells) {
  data = 1;
  lock();
  srand(7);
  unlock();
  order_wait();
  return NULL;
}

THREAD(looks) {
  order_wait();
  lock();
  const int told = rand() != 3;
  unlock();
  if (told) data = 2;
  return NULL;
}

int main(void) {
  run_two(tells, looks);
  return data == 0;
}
