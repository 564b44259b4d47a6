// The race that others miss, behind a reader-writer lock.
#include "test.h"

pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
int shared;
int seen;

THREAD(writer) {
  shared = 1;  // RACE(a) by syncp
  pthread_rwlock_wrlock(&rwlock);
  pthread_rwlock_unlock(&rwlock);
  order_wait();
  return NULL;
}

THREAD(reader) {
  order_wait();
  pthread_rwlock_rdlock(&rwlock);
  pthread_rwlock_unlock(&rwlock);
  seen = shared;  // RACE(a) by syncp
  return NULL;
}

int main(void) {
  run_two(writer, reader);
  printf("%d\n", seen);
}
