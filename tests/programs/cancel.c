// A thread is cancelled while it waits; its cleanup handler writes what main reads before the join.
#include <semaphore.h>

#include "test.h"

sem_t never;
int cleaned;

static void cleanup(UNUSED void* argument) {
  cleaned = 1;  // RACE(a)
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
  int seen = cleaned;  // RACE(a)
  pthread_join(thread, &result);
  printf("%d %d\n", seen, result == PTHREAD_CANCELED);
}
