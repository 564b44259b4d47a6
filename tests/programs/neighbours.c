// Two threads write the same element of an array of chars.
#include "test.h"

char cells[4];

static void* worker(void* argument) {
  int i = (int)(long)argument;
  cells[i] += 1;  // RACE(a)
  order_wait();
  return NULL;
}

int main(void) {
  pthread_t a, b;
  order_init(2);
  pthread_create(&a, NULL, worker, (void*)1);
  pthread_create(&b, NULL, worker, (void*)1);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  printf("%d\n", cells[1] > 0);
}
