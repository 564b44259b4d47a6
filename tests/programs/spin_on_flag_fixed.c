// A thread spins on a flag under the lock, then reads the message.
// NORACE
#include "test.h"

int flag;
int message;

NOINLINE static int is_set(void) {
  lock();
  int set = flag;
  unlock();
  return set;
}

THREAD(sender) {
  message = 5;
  lock();
  flag = 1;
  unlock();
  order_wait();
  return NULL;
}

THREAD(receiver) {
  order_wait();
  while (!is_set()) sched_yield();
  message++;
  return NULL;
}

int main(void) {
  run_two(sender, receiver);
  printf("%d\n", message);
}
