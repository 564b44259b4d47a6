// The handle of a new thread is stored before that thread begins: whoever is told by the new thread that it runs may
// read the handle. Where a thread cannot be created, nothing is stored.
// NORACE
#include <semaphore.h>

#include "test.h"

pthread_t worker_thread;
pthread_t never;
sem_t begun;

THREAD(worker) {
  sem_post(&begun);
  return NULL;
}

THREAD(reader) {
  const int none = pthread_equal(never, 0);
  sem_wait(&begun);
  printf("%d %d\n", none, pthread_equal(worker_thread, pthread_self()));
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_attr_t huge;
  sem_init(&begun, 0, 0);
  pthread_create(&thread, NULL, reader, NULL);
  pthread_attr_init(&huge);
  pthread_attr_setstacksize(&huge, (size_t)1 << 46);
  if (pthread_create(&never, &huge, worker, NULL) == 0) abort();
  pthread_create(&worker_thread, NULL, worker, NULL);
  pthread_join(thread, NULL);
  pthread_join(worker_thread, NULL);
}
