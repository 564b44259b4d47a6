// One thread begins to take a string apart, another one goes on with it. What was done before that is before what is done after it was seen.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <string.h>
#include "test.h"

int data;
// NORACE
char words[] = "a b c";

THREAD(tells) {
  data = 1;
  lock();
  strtok(words, " ");
  unlock();
  order_wait();
  return NULL;
}

THREAD(looks) {
  order_wait();
  lock();
  const int told = strtok(NULL, " ") != NULL;
  unlock();
  if (told) data = 2;
  return NULL;
}

int main(void) {
  run_two(tells, looks);
  return data == 0;
}
