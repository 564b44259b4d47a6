// FLAGS: -D_GNU_SOURCE
// Whoever does not get a lock in time does without the access.
// NORACE
#include <time.h>

#include "test.h"

int shared;

THREAD(writer) {
  lock();
  shared = 1;
  unlock();
  order_wait();
  return NULL;
}

THREAD(waiter) {
  struct timespec until;
  order_wait();
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 100;
  if (pthread_mutex_timedlock(&mutex_, &until) != 0) return NULL;
  shared++;
  unlock();
  return NULL;
}

int main(void) {
  run_two(writer, waiter);
  printf("%d\n", shared);
}
