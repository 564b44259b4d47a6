// One thread writes to a stream that is an array, another one looks into the array. What was done before that is before what is done after it was seen.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdio.h>
#include "test.h"

int data;
// NORACE
FILE* file;
char text[64];

THREAD(tells) {
  data = 1;
  lock();
  fputs("told", file);
  fflush(file);
  unlock();
  order_wait();
  return NULL;
}

THREAD(looks) {
  order_wait();
  lock();
  const int told = text[0] == 't';
  unlock();
  if (told) data = 2;
  return NULL;
}

int main(void) {
  file = fmemopen(text, sizeof(text), "w");
  run_two(tells, looks);
  return data == 0;
}
