// NATIVE: native/gate.c
// LEVELS: O1
// A function without hooks runs at exit, and opens a gate; a thread writes before it waits there.
#include "test.h"

void gate_leave(void);
void gate_wait(void);
void gate_passed(void);

int shared;

THREAD(first) {
  shared = 2;  // RACE(a)
  gate_wait();
  gate_passed();
  return NULL;
}

int main(void) {
  pthread_t thread;
  atexit(gate_leave);
  pthread_create(&thread, NULL, first, NULL);
  shared = 1;  // RACE(a)
}
