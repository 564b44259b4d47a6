// A failed trywrlock is ignored.
#include "test.h"

pthread_rwlock_t rwlock;
int shared;
int results[3];

THREAD(holder) {
  pthread_rwlock_rdlock(&rwlock);
  int seen = shared;  // RACE(a)
  order_wait();
  order_wait();
  pthread_rwlock_unlock(&rwlock);
  return (void*)(long)seen;
}

THREAD(trier) {
  order_wait();
  results[0] = pthread_rwlock_tryrdlock(&rwlock) == 0;
  if (results[0]) pthread_rwlock_unlock(&rwlock);
  results[1] = pthread_rwlock_trywrlock(&rwlock) == 0;
  shared = 1;  // RACE(a)
  order_wait();
  return NULL;
}

int main(void) {
  pthread_rwlock_init(&rwlock, NULL);
  run_two(holder, trier);
  results[2] = pthread_rwlock_trywrlock(&rwlock) == 0;
  pthread_rwlock_unlock(&rwlock);
  printf("%d %d %d %d\n", shared, results[0], results[1], results[2]);
}
