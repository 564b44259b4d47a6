// Whether a tryrdlock succeeded is looked at before the access.
// NORACE
#include "test.h"

pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
int shared, seen;

THREAD(writer) {
  pthread_rwlock_wrlock(&rwlock);
  shared = 1;
  pthread_rwlock_unlock(&rwlock);
  order_wait();
  return NULL;
}

THREAD(reader) {
  order_wait();
  int held = pthread_rwlock_tryrdlock(&rwlock) == 0;
  if (!held) return NULL;
  seen = shared;
  pthread_rwlock_unlock(&rwlock);
  return NULL;
}

int main(void) {
  run_two(writer, reader);
  printf("%d %d\n", shared, seen);
}
