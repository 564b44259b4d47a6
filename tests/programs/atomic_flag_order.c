// Message passing by a relaxed flag: the flag arrives, the message need not.
#include <stdatomic.h>

#include "test.h"

atomic_int flag;
int message;

THREAD(sender) {
  message = 5;  // RACE(a)
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
  order_wait();
  return NULL;
}

THREAD(receiver) {
  order_wait();
  while (!atomic_load_explicit(&flag, memory_order_relaxed)) sched_yield();
  message++;  // RACE(a)
  return NULL;
}

int main(void) {
  run_two(sender, receiver);
  printf("%d\n", message);
}
