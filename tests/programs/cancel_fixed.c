// A thread is cancelled while it waits; main joins it before it reads.
// NORACE
#include <semaphore.h>

#include "test.h"

sem_t never;
int cleaned;

static void cleanup(UNUSED void* argument) {
  cleaned = 1;
  order_wait();
}

THREAD(worker) {
  pthread_cleanup_push(cleanup, NULL);
  sem_wait(&never);
  pthread_cleanup_pop(0);
  return NULL;
}

int main(void) {
  pthread_t thread;
  void* result;
  order_init(2);
  sem_init(&never, 0, 0);
  pthread_create(&thread, NULL, worker, NULL);
  pthread_cancel(thread);
  order_wait();
  pthread_join(thread, &result);
  int seen = cleaned;
  printf("%d %d\n", seen, result == PTHREAD_CANCELED);
}
