// One thread names another one, a third one asks for the name. What was done before that is before what is done after it was seen.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "test.h"

int data;
// NORACE
char name[16];
pthread_t first;

THREAD(tells) {
  data = 1;
  lock();
  pthread_setname_np(first, "told");
  unlock();
  order_wait();
  return NULL;
}

THREAD(looks) {
  order_wait();
  lock();
  const int told = pthread_getname_np(first, name, sizeof(name)) == 0 && name[0] == 't';
  unlock();
  if (told) data = 2;
  return NULL;
}

int main(void) {
  first = pthread_self();
  run_two(tells, looks);
  return data == 0;
}
