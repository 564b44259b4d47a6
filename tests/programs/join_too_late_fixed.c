// The result of a thread is read after the join.
// NORACE
#include "test.h"

int result;

THREAD(worker) {
  result = 42;
  order_wait();
  return NULL;
}

int main(void) {
  pthread_t thread;
  order_init(2);
  pthread_create(&thread, NULL, worker, NULL);
  order_wait();
  pthread_join(thread, NULL);
  int seen = result;
  printf("%d\n", seen);
}
