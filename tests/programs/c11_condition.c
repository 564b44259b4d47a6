// C11 conditions: the message is written after the signal.
#include <threads.h>
#include <time.h>

#include "test.h"

mtx_t mutex;
cnd_t condition;
int ready, message;
int timed_out;

THREAD(producer) {
  mtx_lock(&mutex);
  ready = 1;
  cnd_signal(&condition);
  cnd_broadcast(&condition);
  mtx_unlock(&mutex);
  message = 3;  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(consumer) {
  struct timespec past = {1, 0};
  mtx_lock(&mutex);
  while (!ready) cnd_wait(&condition, &mutex);
  timed_out = cnd_timedwait(&condition, &mutex, &past) == thrd_timedout;
  mtx_unlock(&mutex);
  order_wait();
  return (void*)(long)message;  // RACE(a)
}

int main(void) {
  mtx_init(&mutex, mtx_plain);
  cnd_init(&condition);
  run_two(producer, consumer);
  printf("%d %d\n", message, timed_out);
  cnd_destroy(&condition);
}
