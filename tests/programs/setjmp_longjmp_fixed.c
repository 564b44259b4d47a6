// longjmp leaves a function with the lock still held; the access and the unlock follow.
// NORACE
#include <setjmp.h>

#include "test.h"

int shared;

NOINLINE static void fails(jmp_buf where, int depth) {
  if (depth == 0) longjmp(where, 5);
  fails(where, depth - 1);
}

NOINLINE static void work(int amount) {
  jmp_buf where;
  lock();
  int code = setjmp(where);
  if (code == 0) fails(where, 3);
  shared += amount + code;
  unlock();
}

THREAD(first) {
  work(1);
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  work(2);
  return NULL;
}

int main(void) {
  run_two(first, second);
  printf("%d\n", shared);
}
