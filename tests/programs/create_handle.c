// pthread_create stores the new thread's handle where another thread reads it, and nothing orders the two.
// TSAN: misses (it does not see the store)
#include "test.h"

pthread_t worker_thread;

THREAD(worker) {
  return NULL;
}

THREAD(reader) {
  order_wait();
  order_wait();
  printf("%d\n", pthread_equal(worker_thread, pthread_self()));  // RACE(a)
  return NULL;
}

int main(void) {
  pthread_t thread;
  order_init(2);
  pthread_create(&thread, NULL, reader, NULL);
  order_wait();
  pthread_create(&worker_thread, NULL, worker, NULL);  // RACE(a)
  order_wait();
  pthread_join(thread, NULL);
  pthread_join(worker_thread, NULL);
}
