// One thread writes a line, another one reads it from the same stream. What is done after that, nothing orders.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdio.h>
#include "test.h"

int data;
FILE* file;

THREAD(tells) {
  lock();
  fputs("told\n", file);
  rewind(file);
  unlock();
  data = 1;  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(looks) {
  order_wait();
  lock();
  const int told = fgetc(file) == 't';
  unlock();
  if (told) data = 2;  // RACE(a)
  return NULL;
}

int main(void) {
  file = tmpfile();
  run_two(tells, looks);
  return data == 0;
}
