// A timer calls a function in a thread that libc makes, which races with who set the timer.
#include <semaphore.h>
#include <signal.h>
#include <time.h>

#include "test.h"

timer_t timer;
sem_t called;
int data;

static void expired(UNUSED union sigval value) {
  data++;  // RACE(a)
  sem_post(&called);
}

int main(void) {
  const struct itimerspec soon = {{0, 0}, {0, 1000000}};
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = expired};
  must(sem_init(&called, 0, 0) == 0 && timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  must(timer_settime(timer, 0, &soon, NULL) == 0);
  data++;  // RACE(a)
  must(sem_wait(&called) == 0);
  printf("%d\n", data);
}
