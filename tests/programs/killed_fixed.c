// EXIT: 137
// The process kills itself; nothing raced.
// NORACE
#include <signal.h>
#include <unistd.h>

#include "test.h"

int shared;

THREAD(first) {
  lock();
  shared++;
  unlock();
  order_wait();
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  lock();
  shared++;
  unlock();
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

int main(void) {
  run_two(first, second);
}
