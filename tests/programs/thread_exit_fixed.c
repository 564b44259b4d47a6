// A cleanup handler that runs in pthread_exit; its thread is joined before the read.
// NORACE
#include "test.h"

int cleaned;

static void cleanup(void* argument) {
  cleaned = *(int*)argument;
  order_wait();
}

NOINLINE static void deep(int depth) {
  if (depth == 0) pthread_exit((void*)5);
  deep(depth - 1);
}

THREAD(worker) {
  int number = 3;
  pthread_cleanup_push(cleanup, &number);
  deep(3);
  pthread_cleanup_pop(0);
  return NULL;
}

int main(void) {
  pthread_t thread;
  void* result;
  order_init(2);
  pthread_create(&thread, NULL, worker, NULL);
  order_wait();
  pthread_join(thread, &result);
  int seen = cleaned;
  printf("%d %d\n", seen, (int)(long)result);
}
