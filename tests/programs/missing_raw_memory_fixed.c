// NATIVE: native/raw_gate.c
// LEVELS: O1
// A library keeps its gate in memory that it has from the kernel itself.
// NORACE
#include "test.h"

int* raw_gate_make(void);
void raw_gate_open(int* gate);
void raw_gate_wait(int* gate);

int shared;
static int* gate;

THREAD(first) {
  shared = 1;
  raw_gate_open(gate);
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  raw_gate_wait(gate);
  shared = 2;
  return NULL;
}

int main(void) {
  gate = raw_gate_make();
  run_two(first, second);
}
