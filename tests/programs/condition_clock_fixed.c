// FLAGS: -D_GNU_SOURCE
// pthread_cond_clockwait is woken in time.
// NORACE
#include <errno.h>
#include <time.h>

#include "test.h"

pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
int ready, message, result;

THREAD(consumer) {
  struct timespec deadline;
  clock_gettime(CLOCK_MONOTONIC, &deadline);
  deadline.tv_sec += 100;
  lock();
  order_wait();
  while (!ready && result == 0) result = pthread_cond_clockwait(&condition, &mutex_, CLOCK_MONOTONIC, &deadline);
  unlock();
  message++;
  return NULL;
}

THREAD(producer) {
  order_wait();
  message += 5;
  lock();
  ready = 1;
  unlock();
  pthread_cond_signal(&condition);
  return NULL;
}

int main(void) {
  run_two(consumer, producer);
  printf("%d %d\n", message, result == ETIMEDOUT);
}
