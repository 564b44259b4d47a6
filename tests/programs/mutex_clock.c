// FLAGS: -D_GNU_SOURCE
// pthread_mutex_clocklock times out, and the code goes on.
#include <errno.h>
#include <time.h>

#include "test.h"

int shared;
int error;

THREAD(holder) {
  lock();
  shared = 1;  // RACE(a)
  order_wait();
  order_wait();
  unlock();
  return NULL;
}

THREAD(impatient) {
  struct timespec deadline;
  order_wait();
  clock_gettime(CLOCK_MONOTONIC, &deadline);
  error = pthread_mutex_clocklock(&mutex_, CLOCK_MONOTONIC, &deadline);
  shared = 2;  // RACE(a)
  if (error == 0) unlock();
  order_wait();
  return NULL;
}

int main(void) {
  run_two(holder, impatient);
  printf("%d %d\n", shared, error == ETIMEDOUT);
}
