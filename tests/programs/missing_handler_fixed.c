// NATIVE: native/gate.c
// LEVELS: O1
// A handler without hooks opens a gate.
// NORACE
#include "test.h"
#include <signal.h>

void gate_handle(int number);
void gate_wait(void);

int shared;

THREAD(first) {
  shared = 1;
  raise(SIGUSR1);
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  gate_wait();
  shared = 2;
  return NULL;
}

int main(void) {
  signal(SIGUSR1, gate_handle);
  run_two(first, second);
}
