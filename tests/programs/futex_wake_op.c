// LEVELS: O1
// FUTEX_WAKE_OP writes a word that others look at. The write comes too late.
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "test.h"

int shared;
static int woken, written;

THREAD(first) {
  const int operation = FUTEX_OP(FUTEX_OP_SET, 1, FUTEX_OP_CMP_EQ, 0);
  syscall(SYS_futex, &woken, FUTEX_WAKE_OP, 1, 1, &written, operation);
  shared = 1;  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  while (!__atomic_load_n(&written, __ATOMIC_ACQUIRE)) sched_yield();
  shared = 2;  // RACE(a)
  return NULL;
}

int main(void) {
  run_two(first, second);
}
