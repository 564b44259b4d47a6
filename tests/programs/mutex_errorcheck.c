// An error-checking mutex refuses a second lock; the code gives it back as if it had been taken twice.
#include <errno.h>

#include "test.h"

pthread_mutex_t checked;
int shared;
int again, foreign;

THREAD(first) {
  pthread_mutex_lock(&checked);
  again = pthread_mutex_lock(&checked);
  pthread_mutex_unlock(&checked);
  shared++;  // RACE(a)
  pthread_mutex_unlock(&checked);
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  foreign = pthread_mutex_unlock(&checked);
  shared++;  // RACE(a)
  return NULL;
}

int main(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&checked, &attributes);
  run_two(first, second);
  printf("%d %d %d\n", shared, again == EDEADLK, foreign == EPERM);
}
