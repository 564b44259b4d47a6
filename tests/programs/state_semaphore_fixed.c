// One thread posts to a semaphore, another one asks for its count, and takes nothing. What was done before that is before what is done after it was seen.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <semaphore.h>
#include "test.h"

int data;
// NORACE
sem_t semaphore;

THREAD(tells) {
  data = 1;
  lock();
  sem_post(&semaphore);
  unlock();
  order_wait();
  return NULL;
}

THREAD(looks) {
  order_wait();
  lock();
  const int told = ({ int count; sem_getvalue(&semaphore, &count); count; }) == 1;
  unlock();
  if (told) data = 2;
  return NULL;
}

int main(void) {
  sem_init(&semaphore, 0, 0);
  run_two(tells, looks);
  return data == 0;
}
