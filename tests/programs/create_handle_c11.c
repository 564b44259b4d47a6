// thrd_create stores the new thread's handle where another thread reads it, and nothing orders the two.
// TSAN: misses (it does not know C11 threads, and crashes)
#include <threads.h>

#include "test.h"

thrd_t worker_thread;

static int worker(UNUSED void* argument) {
  return 0;
}

static int reader(UNUSED void* argument) {
  order_wait();
  order_wait();
  printf("%d\n", thrd_equal(worker_thread, thrd_current()));  // RACE(a)
  return 0;
}

int main(void) {
  thrd_t thread;
  order_init(2);
  thrd_create(&thread, reader, NULL);
  order_wait();
  thrd_create(&worker_thread, worker, NULL);  // RACE(a)
  order_wait();
  thrd_join(thread, NULL);
  thrd_join(worker_thread, NULL);
}
