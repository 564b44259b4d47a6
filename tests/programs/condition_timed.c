// A timed wait gives up, and its thread reads without the message having been sent.
#include <errno.h>
#include <time.h>

#include "test.h"

pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
int ready, message;
int timed_out;

THREAD(consumer) {
  struct timespec past = {1, 0};
  lock();
  timed_out = pthread_cond_timedwait(&condition, &mutex_, &past) == ETIMEDOUT;
  unlock();
  int seen = message;  // RACE(a)
  order_wait();
  return (void*)(long)seen;
}

THREAD(producer) {
  order_wait();
  message = 5;  // RACE(a)
  lock();
  ready = 1;
  pthread_cond_signal(&condition);
  unlock();
  return NULL;
}

int main(void) {
  run_two(consumer, producer);
  printf("%d %d\n", message, timed_out);
}
