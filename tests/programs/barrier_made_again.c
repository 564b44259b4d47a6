// A barrier for two is made again for three, and one thread writes on after it.
// The other writer does, too.
#include "test.h"

pthread_barrier_t barrier;
int shared;

THREAD(only_waits) {
  pthread_barrier_wait(&barrier);
  return NULL;
}

THREAD(writes_after) {
  pthread_barrier_wait(&barrier);
  shared += 2;  // RACE(shared)
  return NULL;
}

int main(void) {
  pthread_t one, two;
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_create(&one, NULL, only_waits, NULL);
  pthread_barrier_wait(&barrier);
  pthread_join(one, NULL);
  pthread_barrier_destroy(&barrier);
  pthread_barrier_init(&barrier, NULL, 3);
  pthread_create(&one, NULL, writes_after, NULL);
  pthread_create(&two, NULL, only_waits, NULL);
  pthread_barrier_wait(&barrier);
  shared = 1;  // RACE(shared)
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  printf("%d\n", shared > 0);
}
