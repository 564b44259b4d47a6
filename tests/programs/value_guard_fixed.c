// A guard that asks for the last value of a flag: no earlier one will do, and the message is there then.
// NORACE
#include "test.h"

int flag, message;

THREAD(sender) {
  __atomic_store_n(&flag, 3, __ATOMIC_RELEASE);
  message = 1;
  __atomic_store_n(&flag, 5, __ATOMIC_RELEASE);
  order_wait();
  return NULL;
}

THREAD(receiver) {
  order_wait();
  int seen = 0;
  if (__atomic_load_n(&flag, __ATOMIC_ACQUIRE) > 4) seen = message;
  return seen < 0 ? argument : NULL;
}

int main(void) {
  run_two(sender, receiver);
  printf("%d\n", flag);
}
