// NATIVE: native/gate.c
// LEVELS: O1
// An initialiser without hooks, called by pthread_once, opens a gate.
// NORACE
#include "test.h"

void gate_open(void);
void gate_wait(void);

int shared;
static pthread_once_t once = PTHREAD_ONCE_INIT;

THREAD(first) {
  shared = 1;
  pthread_once(&once, gate_open);
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
  run_two(first, second);
}
