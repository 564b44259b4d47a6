// A thread cancelled in pthread_cond_wait has its mutex again in the cleanup handler.
// NORACE
#include "test.h"

pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
int waiting = 1;
int shared;

static void cleanup(UNUSED void* argument) {
  shared++;
  unlock();
  order_wait();
}

THREAD(worker) {
  lock();
  order_wait();
  pthread_cleanup_push(cleanup, NULL);
  while (waiting) pthread_cond_wait(&condition, &mutex_);
  pthread_cleanup_pop(1);
  return NULL;
}

int main(void) {
  pthread_t thread;
  order_init(2);
  pthread_create(&thread, NULL, worker, NULL);
  order_wait();
  lock();
  unlock();
  pthread_cancel(thread);
  order_wait();
  lock();
  shared++;
  unlock();
  pthread_join(thread, NULL);
  printf("%d\n", shared);
}
