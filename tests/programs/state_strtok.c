// One thread begins to take a string apart, another one goes on with it. What is done after that, nothing orders.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <string.h>
#include "test.h"

int data;
char words[] = "a b c";

THREAD(tells) {
  lock();
  strtok(words, " ");
  unlock();
  data = 1;  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(looks) {
  order_wait();
  lock();
  const int told = strtok(NULL, " ") != NULL;
  unlock();
  if (told) data = 2;  // RACE(a)
  return NULL;
}

int main(void) {
  run_two(tells, looks);
  return data == 0;
}
