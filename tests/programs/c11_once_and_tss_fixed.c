// TSAN: alarms (it does not intercept C11 threads)
// C11: both threads go through call_once; a tss destructor frees.
// NORACE
#include <threads.h>

#include "test.h"

once_flag once = ONCE_FLAG_INIT;
tss_t key;
int value;

static void initialise(void) {
  value = 8;
}

THREAD(first) {
  call_once(&once, initialise);
  tss_set(key, malloc(4));
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  call_once(&once, initialise);
  int seen = value;
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
