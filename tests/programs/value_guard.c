// A guard that asks for more than two: the flag was seen at its last value, but an earlier one would do, and the message
// is not there yet then.
// TSAN: misses
#include "test.h"

int flag, message;

THREAD(sender) {
  __atomic_store_n(&flag, 3, __ATOMIC_RELEASE);
  message = 1;  // RACE(a) by value
  __atomic_store_n(&flag, 5, __ATOMIC_RELEASE);
  order_wait();
  return NULL;
}

THREAD(receiver) {
  order_wait();
  int seen = 0;
  if (__atomic_load_n(&flag, __ATOMIC_ACQUIRE) > 2) seen = message;  // RACE(a) by value
  return seen < 0 ? argument : NULL;
}

int main(void) {
  run_two(sender, receiver);
  printf("%d\n", flag);
}
