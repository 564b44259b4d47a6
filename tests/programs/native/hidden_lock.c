// A lock that is a variable of this file: no argument leads to it. Compiled without racecast.
#include <sched.h>

static int held;

void hidden_lock(void) {
  int free = 0;
  while (!__atomic_compare_exchange_n(&held, &free, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
    free = 0;
    sched_yield();
  }
}
void hidden_unlock(void) {
  __atomic_store_n(&held, 0, __ATOMIC_RELEASE);
}
