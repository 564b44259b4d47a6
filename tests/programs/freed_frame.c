// A thread hands out the address of a local variable and returns from its frame while another thread may use it.
#include "test.h"

static int* shared;

NOINLINE static void frame(void) {
  int local = 7;
  __atomic_store_n(&shared, &local, __ATOMIC_RELEASE);
  order_wait();
  order_wait();
}  // FREED(a)

THREAD(owner) {
  frame();
  return NULL;
}

THREAD(user) {
  order_wait();
  must(*__atomic_load_n(&shared, __ATOMIC_ACQUIRE) == 7);  // FREED(a)
  order_wait();
  return NULL;
}

int main(void) {
  run_two(owner, user);
  return 0;
}
