// One thread names another one, a third one asks for the name. What is done after that, nothing orders.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "test.h"

int data;
char name[16];
pthread_t first;

THREAD(tells) {
  lock();
  pthread_setname_np(first, "told");
  unlock();
  data = 1;  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(looks) {
  order_wait();
  lock();
  const int told = pthread_getname_np(first, name, sizeof(name)) == 0 && name[0] == 't';
  unlock();
  if (told) data = 2;  // RACE(a)
  return NULL;
}

int main(void) {
  first = pthread_self();
  run_two(tells, looks);
  return data == 0;
}
