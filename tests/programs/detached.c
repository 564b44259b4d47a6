// A detached thread writes, and nothing tells the main thread that it has.
#include <semaphore.h>

#include "test.h"

int result;
sem_t done;

THREAD(worker) {
  pthread_detach(pthread_self());
  result = 7;  // RACE(a)
  order_wait();
  return NULL;
}

int main(void) {
  pthread_t thread;
  order_init(2);
  sem_init(&done, 0, 0);
  pthread_create(&thread, NULL, worker, NULL);
  order_wait();
  printf("%d\n", result);  // RACE(a)
}
