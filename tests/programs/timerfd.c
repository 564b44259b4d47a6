// Who sets a timer is before who reads that it has expired; but what it does after that is not.
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "test.h"

int data, late;
int timer;

THREAD(sender) {
  data = 1;
  struct itimerspec soon = {{0, 0}, {0, 1000000}};
  must(timerfd_settime(timer, 0, &soon, NULL) == 0);
  order_wait();
  lock();
  late = 2;  // RACE(a)
  unlock();
  order_wait();
  return NULL;
}

THREAD(receiver) {
  uint64_t times;
  must(read(timer, &times, sizeof(times)) == sizeof(times));
  data++;
  order_wait();
  order_wait();
  late++;  // RACE(a)
  return NULL;
}

int main(void) {
  timer = timerfd_create(CLOCK_MONOTONIC, 0);
  run_two(sender, receiver);
  printf("%d %d\n", data, late);
}
