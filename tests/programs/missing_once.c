// NATIVE: native/gate.c
// LEVELS: O1
// An initialiser without hooks, called by pthread_once, opens a gate; the write comes too late.
#include "test.h"

void gate_open(void);
void gate_wait(void);

int shared;
static pthread_once_t once = PTHREAD_ONCE_INIT;

THREAD(first) {
  pthread_once(&once, gate_open);
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
  run_two(first, second);
}
