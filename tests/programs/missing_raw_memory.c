// NATIVE: native/raw_gate.c
// LEVELS: O1
// A library keeps its gate in memory that it has from the kernel itself; the write comes too late.
#include "test.h"

int* raw_gate_make(void);
void raw_gate_open(int* gate);
void raw_gate_wait(int* gate);

int shared;
static int* gate;

THREAD(first) {
  raw_gate_open(gate);
  shared = 1;  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  raw_gate_wait(gate);
  shared = 2;  // RACE(a)
  return NULL;
}

int main(void) {
  gate = raw_gate_make();
  run_two(first, second);
}
