// C11: one thread uses what call_once initialises without calling it; a tss destructor frees.
#include <threads.h>

#include "test.h"

once_flag once = ONCE_FLAG_INIT;
tss_t key;
int value;

static void initialise(void) {
  value = 8;  // RACE(a)
}

THREAD(first) {
  call_once(&once, initialise);
  tss_set(key, malloc(4));
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  int seen = value;  // RACE(a)
  tss_set(key, malloc(4));
  *(int*)tss_get(key) = seen;
  return NULL;
}

int main(void) {
  tss_create(&key, free);
  run_two(first, second);
  printf("%d\n", value);
  tss_delete(key);
}
