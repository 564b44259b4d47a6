// NATIVE: native/gate.c
// LEVELS: O1
// Code without hooks waits at a gate; before that, pthread_once calls another function of it.
// NORACE
#include "test.h"

void gate_open(void);
void gate_wait_once(void);

int shared;

THREAD(first) {
  shared = 1;
  gate_open();
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  gate_wait_once();
  shared = 2;
  return NULL;
}

int main(void) {
  run_two(first, second);
}
