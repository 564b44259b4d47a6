// FLAGS: -D_GNU_SOURCE
// pthread_cond_clockwait times out; what follows is not ordered.
#include <errno.h>
#include <time.h>

#include "test.h"

pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
int ready, message, result;

THREAD(consumer) {
  struct timespec deadline;
  clock_gettime(CLOCK_MONOTONIC, &deadline);
  lock();
  while (!ready && result == 0) result = pthread_cond_clockwait(&condition, &mutex_, CLOCK_MONOTONIC, &deadline);
  unlock();
  message++;  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(producer) {
  order_wait();
  message += 5;  // RACE(a)
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
