// NATIVE: native/gate.c
// LEVELS: O1
// A destructor of thread-specific data, without hooks, opens a gate when its thread ends.
// NORACE
#include "test.h"

void gate_destroy(void* value);
void gate_wait(void);

int shared;
static pthread_key_t key;

THREAD(first) {
  pthread_setspecific(key, &key);
  shared = 1;
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
  pthread_key_create(&key, gate_destroy);
  run_two(first, second);
}
