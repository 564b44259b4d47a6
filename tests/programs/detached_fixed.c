// A detached thread posts a semaphore when it has written.
// NORACE
#include <semaphore.h>

#include "test.h"

int result;
sem_t done;

THREAD(worker) {
  pthread_detach(pthread_self());
  result = 7;
  sem_post(&done);
  order_wait();
  return NULL;
}

int main(void) {
  pthread_t thread;
  order_init(2);
  sem_init(&done, 0, 0);
  pthread_create(&thread, NULL, worker, NULL);
  order_wait();
  sem_wait(&done);
  printf("%d\n", result);
}
