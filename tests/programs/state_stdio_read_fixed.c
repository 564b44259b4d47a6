// One thread writes a line, another one reads it from the same stream. What was done before that is before what is done after it was seen.
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
  fputs("told\n", file);
  rewind(file);
  unlock();
  order_wait();
  return NULL;
}

THREAD(looks) {
  order_wait();
  lock();
  const int told = fgetc(file) == 't';
  unlock();
  if (told) data = 2;
  return NULL;
}

int main(void) {
  file = tmpfile();
  run_two(tells, looks);
  return data == 0;
}
