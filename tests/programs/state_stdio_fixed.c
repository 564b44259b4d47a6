// One thread writes to a stream, another one asks where in it they are. What was done before that is before what is done after it was seen.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdio.h>
#include "test.h"

int data;
// NORACE
FILE* file;

THREAD(tells) {
  data = 1;
  lock();
  fputs("told", file);
  unlock();
  order_wait();
  return NULL;
}

THREAD(looks) {
  order_wait();
  lock();
  const int told = ftell(file) > 0;
  unlock();
  if (told) data = 2;
  return NULL;
}

int main(void) {
  file = tmpfile();
  run_two(tells, looks);
  return data == 0;
}
