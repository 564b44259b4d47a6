// FLAGS: -D_GNU_SOURCE
// Timed and clock acquisitions of a reader-writer lock, in vain and in time.
// NORACE
#include <errno.h>
#include <time.h>

#include "test.h"

pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
int shared;
int failed, taken;

THREAD(holder) {
  pthread_rwlock_wrlock(&rwlock);
  shared = 1;
  order_wait();
  order_wait();
  pthread_rwlock_unlock(&rwlock);
  order_wait();
  return NULL;
}

THREAD(waiter) {
  struct timespec past = {1, 0}, far, far_monotonic;
  order_wait();
  failed += pthread_rwlock_timedrdlock(&rwlock, &past) == ETIMEDOUT;
  failed += pthread_rwlock_timedwrlock(&rwlock, &past) == ETIMEDOUT;
  failed += pthread_rwlock_clockrdlock(&rwlock, CLOCK_MONOTONIC, &past) == ETIMEDOUT;
  failed += pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &past) == ETIMEDOUT;
  order_wait();
  order_wait();
  clock_gettime(CLOCK_REALTIME, &far);
  clock_gettime(CLOCK_MONOTONIC, &far_monotonic);
  far.tv_sec += 100;
  far_monotonic.tv_sec += 100;
  if (pthread_rwlock_timedrdlock(&rwlock, &far) == 0) {
    taken += 1 + (shared != 0);
    pthread_rwlock_unlock(&rwlock);
  }
  if (pthread_rwlock_timedwrlock(&rwlock, &far) == 0) {
    taken++;
    shared++;
    pthread_rwlock_unlock(&rwlock);
  }
  if (pthread_rwlock_clockrdlock(&rwlock, CLOCK_MONOTONIC, &far_monotonic) == 0) {
    taken += 1 + (shared != 0);
    pthread_rwlock_unlock(&rwlock);
  }
  if (pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &far_monotonic) == 0) {
    taken++;
    shared++;
    pthread_rwlock_unlock(&rwlock);
  }
  return NULL;
}

int main(void) {
  run_two(holder, waiter);
  printf("%d %d %d\n", shared, failed, taken);
}
