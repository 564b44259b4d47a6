// NATIVE: native/gate.c
// LEVELS: O1
// A function without hooks runs at exit, and opens a gate.
// NORACE
#include "test.h"

void gate_leave(void);
void gate_wait(void);
void gate_passed(void);

int shared;

THREAD(first) {
  gate_wait();
  shared = 2;
  gate_passed();
  return NULL;
}

int main(void) {
  pthread_t thread;
  atexit(gate_leave);
  pthread_create(&thread, NULL, first, NULL);
  shared = 1;
}
