// FLAGS: -D_GNU_SOURCE
// pthread_mutex_clocklock takes the mutex in time, and the code goes on only if it did.
// NORACE
#include <errno.h>
#include <time.h>

#include "test.h"

int shared;
int error;

THREAD(holder) {
  lock();
  shared = 1;
  unlock();
  order_wait();
  order_wait();
  return NULL;
}

THREAD(impatient) {
  struct timespec deadline;
  order_wait();
  clock_gettime(CLOCK_MONOTONIC, &deadline);
  deadline.tv_sec += 100;
  error = pthread_mutex_clocklock(&mutex_, CLOCK_MONOTONIC, &deadline);
  if (error == 0) {
    shared = 2;
    unlock();
  }
  order_wait();
  return NULL;
}

int main(void) {
  run_two(holder, impatient);
  printf("%d %d\n", shared, error == ETIMEDOUT);
}
