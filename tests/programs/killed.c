// EXIT: 137
// The process kills itself after a race: the recording survives.
#include <signal.h>
#include <unistd.h>

#include "test.h"

int shared;

THREAD(first) {
  shared++;  // RACE(a)
  order_wait();
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  shared++;  // RACE(a)
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

int main(void) {
  run_two(first, second);
}
