// Each thread has an argument of its own.
// NORACE
#include "test.h"

int arguments[2] = {1, 2};
int sum;

static void* worker(void* argument) {
  order_wait();
  int value = *(int*)argument;
  lock();
  sum += value;
  unlock();
  return NULL;
}

int main(void) {
  pthread_t thread;
  order_init(2);
  pthread_create(&thread, NULL, worker, &arguments[0]);
  arguments[1] = 5;
  order_wait();
  pthread_join(thread, NULL);
  printf("%d\n", sum + arguments[1]);
}
