// Who sets a timer is before who reads that it has expired.
// NORACE
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "test.h"

int data;
int timer;

THREAD(sender) {
  data = 1;
  struct itimerspec soon = {{0, 0}, {0, 1000000}};
  must(timerfd_settime(timer, 0, &soon, NULL) == 0);
  return NULL;
}

THREAD(receiver) {
  uint64_t times;
  must(read(timer, &times, sizeof(times)) == sizeof(times));
  data++;
  return NULL;
}

int main(void) {
  timer = timerfd_create(CLOCK_MONOTONIC, 0);
  run_two(sender, receiver);
  printf("%d\n", data);
}
