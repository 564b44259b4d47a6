// A producer fills the message, then announces it under the lock.
// NORACE
#include "test.h"

pthread_cond_t condition;
int ready, message;

THREAD(producer) {
  message = 11;
  lock();
  ready = 1;
  pthread_cond_signal(&condition);
  unlock();
  order_wait();
  return NULL;
}

THREAD(consumer) {
  lock();
  while (!ready) pthread_cond_wait(&condition, &mutex_);
  unlock();
  order_wait();
  return (void*)(long)message;
}

int main(void) {
  pthread_cond_init(&condition, NULL);
  run_two(producer, consumer);
  printf("%d %d\n", ready, message);
  pthread_cond_destroy(&condition);
}
