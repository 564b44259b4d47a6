// Main returns; a thread that it made wakes another one, by a condition variable, and that takes the lock that main took.
// NORACE
#include "test.h"

pthread_cond_t go = PTHREAD_COND_INITIALIZER;
int goes, shared;

THREAD(last) {
  lock();
  while (!goes) pthread_cond_wait(&go, &mutex_);
  shared = 1;
  unlock();
  return NULL;
}

THREAD(first) {
  for (int i = 0; i < 1000; ++i) sched_yield();
  lock();
  goes = 1;
  pthread_cond_signal(&go);
  unlock();
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, last, NULL);
  pthread_create(&b, NULL, first, NULL);
  lock();
  shared = 2;
  unlock();
  return 0;
}
