// Three workers wait for a start signal, and main for the last of them.
// NORACE
#include "test.h"

pthread_cond_t start = PTHREAD_COND_INITIALIZER;
pthread_cond_t finish = PTHREAD_COND_INITIALIZER;
int started, finished;
int results[3];

static void* worker(void* number) {
  lock();
  while (!started) pthread_cond_wait(&start, &mutex_);
  results[(long)number] = 1;
  if (++finished == 3) pthread_cond_broadcast(&finish);
  unlock();
  order_wait();
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  order_init(4);
  for (long i = 0; i < 3; i++) pthread_create(&threads[i], NULL, worker, (void*)i);
  lock();
  started = 1;
  pthread_cond_broadcast(&start);
  while (finished < 3) pthread_cond_wait(&finish, &mutex_);
  unlock();
  order_wait();
  int sum = results[0] + results[1] + results[2];
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  printf("%d\n", sum);
}
