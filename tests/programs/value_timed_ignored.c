// FLAGS: -D_GNU_SOURCE
// What a timed lock gives back is ignored.
// TSAN: misses, as it did not time out in this run
#include <time.h>

#include "test.h"

int shared;

THREAD(writer) {
  lock();
  shared = 1;  // RACE(a) by value
  unlock();
  order_wait();
  return NULL;
}

THREAD(waiter) {
  struct timespec until;
  order_wait();
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 100;
  pthread_mutex_timedlock(&mutex_, &until);
  shared++;  // RACE(a) by value
  unlock();
  return NULL;
}

int main(void) {
  run_two(writer, waiter);
  printf("%d\n", shared);
}
