// pthread_mutex_timedlock times out, and the code does without.
// NORACE
#include <errno.h>
#include <time.h>

#include "test.h"

int shared;
int error;

THREAD(holder) {
  lock();
  shared = 1;
  order_wait();
  order_wait();
  unlock();
  return NULL;
}

THREAD(impatient) {
  struct timespec past = {1, 0};
  order_wait();
  error = pthread_mutex_timedlock(&mutex_, &past);
  if (error == 0) shared = 2;
  order_wait();
  return NULL;
}

int main(void) {
  run_two(holder, impatient);
  struct timespec far;
  clock_gettime(CLOCK_REALTIME, &far);
  far.tv_sec += 100;
  int taken = pthread_mutex_timedlock(&mutex_, &far);
  printf("%d %d %d\n", shared, error == ETIMEDOUT, taken);
  unlock();
}
