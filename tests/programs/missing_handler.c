// NATIVE: native/gate.c
// LEVELS: O1
// A handler without hooks opens a gate; the write comes too late.
#include "test.h"
#include <signal.h>

void gate_handle(int number);
void gate_wait(void);

int shared;

THREAD(first) {
  raise(SIGUSR1);
  shared = 1;  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  gate_wait();
  shared = 2;  // RACE(a)
  return NULL;
}

int main(void) {
  signal(SIGUSR1, gate_handle);
  run_two(first, second);
}
