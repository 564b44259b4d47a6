// NATIVE: native/gate.c
// LEVELS: O1
// A destructor of thread-specific data, without hooks, opens a gate; nobody waits there.
#include "test.h"

void gate_destroy(void* value);

int shared;
static pthread_key_t key;

THREAD(first) {
  pthread_setspecific(key, &key);
  shared = 1;  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  shared = 2;  // RACE(a)
  return NULL;
}

int main(void) {
  pthread_key_create(&key, gate_destroy);
  run_two(first, second);
}
