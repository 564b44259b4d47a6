// The owner of a robust mutex died; its heir has the lock but reads what was never guarded.
#include <errno.h>

#include "test.h"

pthread_mutex_t robust;
int guarded, outside;
int error;

THREAD(dies) {
  pthread_mutex_lock(&robust);
  guarded = 1;
  order_wait();
  outside = 1;  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(heir) {
  order_wait();
  order_wait();
  int seen = outside;  // RACE(a)
  error = pthread_mutex_lock(&robust);
  if (error == EOWNERDEAD) pthread_mutex_consistent(&robust);
  guarded += seen;
  pthread_mutex_unlock(&robust);
  return NULL;
}

int main(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&robust, &attributes);
  run_two(dies, heir);
  printf("%d %d %d\n", guarded, outside, error == EOWNERDEAD);
}
