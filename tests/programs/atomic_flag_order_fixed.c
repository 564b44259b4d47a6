// Message passing by a release store and an acquire load.
// NORACE
#include <stdatomic.h>

#include "test.h"

atomic_int flag;
int message;

THREAD(sender) {
  message = 5;
  atomic_store_explicit(&flag, 1, memory_order_release);
  order_wait();
  return NULL;
}

THREAD(receiver) {
  order_wait();
  while (!atomic_load_explicit(&flag, memory_order_acquire)) sched_yield();
  message++;
  return NULL;
}

int main(void) {
  run_two(sender, receiver);
  printf("%d\n", message);
}
