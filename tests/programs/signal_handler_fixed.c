// A signal handler writes an atomic variable.
// NORACE
#include <signal.h>
#include <stdatomic.h>

#include "test.h"

atomic_int last_signal;
int seen;

static void handler(int number) {
  last_signal = number;
}

THREAD(first) {
  raise(SIGUSR1);
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  seen = last_signal;
  return NULL;
}

int main(void) {
  signal(SIGUSR1, handler);
  run_two(first, second);
  printf("%d\n", seen == SIGUSR1);
}
