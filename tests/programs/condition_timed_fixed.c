// A timed wait gives up, is repeated without a limit, and its thread reads what was sent.
// NORACE
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
  order_wait();
  while (!ready) pthread_cond_wait(&condition, &mutex_);
  unlock();
  int seen = message;
  return (void*)(long)seen;
}

THREAD(producer) {
  order_wait();
  message = 5;
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
