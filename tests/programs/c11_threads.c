// TSAN: misses (it does not intercept C11 threads)
// C11 threads: a result is read before thrd_join.
#include <threads.h>

#include "test.h"

int shared;

static int worker(void* argument) {
  shared = (int)(long)argument;  // RACE(a)
  order_wait();
  if (shared == 4) thrd_exit(6);
  return 0;
}

int main(void) {
  thrd_t thread;
  int result;
  order_init(2);
  thrd_create(&thread, worker, (void*)4L);
  order_wait();
  int seen = shared;  // RACE(a)
  thrd_join(thread, &result);
  printf("%d %d\n", seen, result);
}
