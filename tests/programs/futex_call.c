// Who was woken by a futex is after who woke it; but what it does after that is not.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "test.h"

int data, late;
int word;
static long futex(int operation, int value) {
  return syscall(SYS_futex, &word, operation, value, NULL, NULL, 0);
}

THREAD(sender) {
  data = 1;
  while (futex(FUTEX_WAKE, 1) == 0) sched_yield();
  order_wait();
  lock();
  late = 2;  // RACE(a)
  unlock();
  order_wait();
  return NULL;
}

THREAD(receiver) {
  must(futex(FUTEX_WAIT, 0) == 0);
  data++;
  order_wait();
  order_wait();
  late++;  // RACE(a)
  return NULL;
}

int main(void) {

  run_two(sender, receiver);
  printf("%d %d\n", data, late);
}
