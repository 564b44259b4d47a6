// C11 threads: the main thread has been detached, and a thread reads what it wrote without any join.
// TSAN: misses (it does not know C11 threads, and crashes)
#include <threads.h>

#include "test.h"

thrd_t main_thread;
int result;

static int worker(UNUSED void* argument) {
  order_wait();
  if (thrd_detach(main_thread) == thrd_success) printf("%d\n", result);  // RACE(a)
  return 0;
}

int main(void) {
  thrd_t thread;
  main_thread = thrd_current();
  order_init(2);
  thrd_create(&thread, worker, NULL);
  result = 7;  // RACE(a)
  order_wait();
  thrd_exit(0);
}
