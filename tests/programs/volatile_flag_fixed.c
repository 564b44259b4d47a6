// The flag is atomic instead of volatile.
// NORACE
#include <stdatomic.h>

#include "test.h"

atomic_int flag;
int message;

THREAD(sender) {
  message = 5;
  flag = 1;
  order_wait();
  return NULL;
}

THREAD(receiver) {
  order_wait();
  while (!flag) sched_yield();
  message++;
  return NULL;
}

int main(void) {
  run_two(sender, receiver);
  printf("%d\n", message);
}
