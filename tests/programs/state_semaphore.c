// One thread posts to a semaphore, another one asks for its count, and takes nothing. What is done after that, nothing orders.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <semaphore.h>
#include "test.h"

int data;
sem_t semaphore;

THREAD(tells) {
  lock();
  sem_post(&semaphore);
  unlock();
  data = 1;  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(looks) {
  order_wait();
  lock();
  const int told = ({ int count; sem_getvalue(&semaphore, &count); count; }) == 1;
  unlock();
  if (told) data = 2;  // RACE(a)
  return NULL;
}

int main(void) {
  sem_init(&semaphore, 0, 0);
  run_two(tells, looks);
  return data == 0;
}
