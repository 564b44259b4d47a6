// A hand-made queue that only seems to synchronise: nothing is annotated.
#include "test.h"

int queue;
int message;

THREAD(sender) {
  message = 5;  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(receiver) {
  order_wait();
  message++;  // RACE(a)
  return NULL;
}

int main(void) {
  run_two(sender, receiver);
  printf("%d %d\n", message, queue);
}
