// A variable on the stack of main is incremented by two threads.
#include "test.h"

static void* worker(void* argument) {
  ++*(int*)argument;  // RACE(a)
  order_wait();
  return NULL;
}

int main(void) {
  int counter = 0;
  pthread_t a, b;
  order_init(2);
  pthread_create(&a, NULL, worker, &counter);
  pthread_create(&b, NULL, worker, &counter);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  printf("%d\n", counter > 0);
}
