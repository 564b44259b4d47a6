// A producer fills the message only after it has announced it.
#include "test.h"

pthread_cond_t condition;
int ready, message;

THREAD(producer) {
  lock();
  ready = 1;
  pthread_cond_signal(&condition);
  unlock();
  message = 11;  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(consumer) {
  lock();
  while (!ready) pthread_cond_wait(&condition, &mutex_);
  unlock();
  order_wait();
  return (void*)(long)message;  // RACE(a)
}

int main(void) {
  pthread_cond_init(&condition, NULL);
  run_two(producer, consumer);
  printf("%d %d\n", ready, message);
  pthread_cond_destroy(&condition);
}
