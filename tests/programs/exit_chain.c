// Main returns; a thread that it made wakes another one, by a condition variable, and that races with main.
#include "test.h"

pthread_cond_t go = PTHREAD_COND_INITIALIZER;
int goes, shared;

THREAD(last) {
  lock();
  while (!goes) pthread_cond_wait(&go, &mutex_);
  unlock();
  shared = 1;  // RACE(a)
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
  shared = 2;  // RACE(a)
  return 0;
}
