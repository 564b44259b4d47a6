// C11 threads: a result is read after thrd_join.
// NORACE
#include <threads.h>

#include "test.h"

int shared;

static int worker(void* argument) {
  shared = (int)(long)argument;
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
  thrd_join(thread, &result);
  int seen = shared;
  printf("%d %d\n", seen, result);
}
