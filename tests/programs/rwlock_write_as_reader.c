// A thread writes with the lock held for reading only.
#include "test.h"

pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
int shared;

THREAD(reader) {
  pthread_rwlock_rdlock(&rwlock);
  int seen = shared;  // RACE(a)
  pthread_rwlock_unlock(&rwlock);
  order_wait();
  return (void*)(long)seen;
}

THREAD(writer) {
  order_wait();
  pthread_rwlock_rdlock(&rwlock);
  shared = 3;  // RACE(a)
  pthread_rwlock_unlock(&rwlock);
  return NULL;
}

int main(void) {
  run_two(reader, writer);
  printf("%d\n", shared);
  pthread_rwlock_destroy(&rwlock);
}
