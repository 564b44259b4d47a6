// A timer calls a function in a thread that libc makes: it is after who set the timer, and before who waits for what it says.
// NORACE
#include <semaphore.h>
#include <signal.h>
#include <time.h>

#include "test.h"

timer_t timer;
sem_t called;
int data;

static void expired(union sigval value) {
  *(int*)value.sival_ptr += 1;
  sem_post(&called);
}

THREAD(setter) {
  const struct itimerspec soon = {{0, 0}, {0, 1000000}};
  data = 1;
  must(timer_settime(timer, 0, &soon, NULL) == 0);
  return NULL;
}

THREAD(waiter) {
  must(sem_wait(&called) == 0);
  data++;
  return NULL;
}

int main(void) {
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = expired};
  event.sigev_value.sival_ptr = &data;
  must(sem_init(&called, 0, 0) == 0 && timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  run_two(setter, waiter);
  printf("%d\n", data);
}
