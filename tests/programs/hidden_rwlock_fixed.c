// The accesses are inside the reader-writer lock.
// NORACE
#include "test.h"

pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
int shared;
int seen;

THREAD(writer) {
  pthread_rwlock_wrlock(&rwlock);
  shared = 1;
  pthread_rwlock_unlock(&rwlock);
  order_wait();
  return NULL;
}

THREAD(reader) {
  order_wait();
  pthread_rwlock_rdlock(&rwlock);
  seen = shared;
  pthread_rwlock_unlock(&rwlock);
  return NULL;
}

int main(void) {
  run_two(writer, reader);
  printf("%d\n", seen);
}
