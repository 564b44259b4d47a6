// Whoever is told by a new C11 thread that it runs may read the handle that thrd_create stored.
// NORACE
#include <stdatomic.h>
#include <threads.h>

#include "test.h"

thrd_t worker_thread;
atomic_int begun;

static int worker(UNUSED void* argument) {
  atomic_store(&begun, 1);
  return 0;
}

static int reader(UNUSED void* argument) {
  while (atomic_load(&begun) == 0) thrd_yield();
  printf("%d\n", thrd_equal(worker_thread, thrd_current()));
  return 0;
}

int main(void) {
  thrd_t thread;
  thrd_create(&thread, reader, NULL);
  thrd_create(&worker_thread, worker, NULL);
  thrd_join(thread, NULL);
  thrd_join(worker_thread, NULL);
}
