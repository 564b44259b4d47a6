// The result of a thread is read before the join.
#include "test.h"

int result;

THREAD(worker) {
  result = 42;  // RACE(a)
  order_wait();
  return NULL;
}

int main(void) {
  pthread_t thread;
  order_init(2);
  pthread_create(&thread, NULL, worker, NULL);
  order_wait();
  int seen = result;  // RACE(a)
  pthread_join(thread, NULL);
  printf("%d\n", seen);
}
