// Who was woken by a futex is after who woke it.
// NORACE
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "test.h"

int data;
int word;
static long futex(int operation, int value) {
  return syscall(SYS_futex, &word, operation, value, NULL, NULL, 0);
}

THREAD(sender) {
  data = 1;
  while (futex(FUTEX_WAKE, 1) == 0) sched_yield();
  return NULL;
}

THREAD(receiver) {
  must(futex(FUTEX_WAIT, 0) == 0);
  data++;
  return NULL;
}

int main(void) {

  run_two(sender, receiver);
  printf("%d\n", data);
}
