// C11 threads: the main thread ends by thrd_exit, and a thread joins it.
// NORACE
#include <threads.h>

#include "test.h"

thrd_t main_thread;
int result;

static int worker(UNUSED void* argument) {
  int value = 0;
  if (thrd_join(main_thread, &value) == thrd_success) printf("%d %d\n", result, value);
  return 0;
}

int main(void) {
  thrd_t thread;
  main_thread = thrd_current();
  thrd_create(&thread, worker, NULL);
  result = 7;
  thrd_exit(3);
}
