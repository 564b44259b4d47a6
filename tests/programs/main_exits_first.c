// TSAN: hangs
// The main thread leaves by pthread_exit; two others go on and race.
#include "test.h"

int counter;

THREAD(first) {
  counter++;  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  int seen = ++counter;  // RACE(a)
  printf("%d\n", seen);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  order_init(2);
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_detach(a);
  pthread_detach(b);
  pthread_exit(NULL);
}
