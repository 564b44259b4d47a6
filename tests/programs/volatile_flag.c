// volatile is no synchronisation: the flag and what it guards race.
#include <stdatomic.h>

#include "test.h"

volatile int flag;
int message;

THREAD(sender) {
  message = 5;  // RACE(b)
  flag = 1;     // RACE(a)
  order_wait();
  return NULL;
}

THREAD(receiver) {
  order_wait();
  while (!flag) sched_yield();  // RACE(a)
  message++;  // RACE(b)
  return NULL;
}

int main(void) {
  run_two(sender, receiver);
  printf("%d\n", message);
}
