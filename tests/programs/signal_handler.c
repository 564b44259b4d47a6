// A signal handler, in whatever thread it runs, writes what another thread reads.
#include <signal.h>
#include <stdatomic.h>

#include "test.h"

int last_signal;
int seen;

static void handler(int number) {
  last_signal = number;  // RACE(a)
}

THREAD(first) {
  raise(SIGUSR1);
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  seen = last_signal;  // RACE(a)
  return NULL;
}

int main(void) {
  signal(SIGUSR1, handler);
  run_two(first, second);
  printf("%d\n", seen == SIGUSR1);
}
