// LEVELS: O1
// System calls in assembly: what they order nobody can tell, so they order everything. Here the writes lie between them.
#include <sys/syscall.h>
#include <unistd.h>

#include "test.h"

int shared;
static int ends[2];
static int own;

static long call_kernel(long number, long a, long b, long c) {
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return result;
}

THREAD(first) {
  char byte = 1;
  must(call_kernel(SYS_write, ends[1], (long)&byte, 1) == 1);
  shared = 1;  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(second) {
  char byte;
  order_wait();
  // Plain writes have no stamp: without one of its thread before it, this one could be told as before the first call.
  __atomic_fetch_add(&own, 1, __ATOMIC_RELAXED);
  shared = 2;  // RACE(a)
  must(call_kernel(SYS_read, ends[0], (long)&byte, 1) == 1);
  return NULL;
}

int main(void) {
  must(pipe(ends) == 0);
  run_two(first, second);
}
