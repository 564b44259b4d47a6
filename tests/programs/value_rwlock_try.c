// Whether a tryrdlock succeeded is looked at only after the access.
// TSAN: misses, as it did in this run
#include "test.h"

pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
int shared, seen;

THREAD(writer) {
  pthread_rwlock_wrlock(&rwlock);
  shared = 1;  // RACE(a) by value
  pthread_rwlock_unlock(&rwlock);
  order_wait();
  return NULL;
}

THREAD(reader) {
  order_wait();
  int held = pthread_rwlock_tryrdlock(&rwlock) == 0;
  seen = shared;  // RACE(a) by value
  if (held) pthread_rwlock_unlock(&rwlock);
  return NULL;
}

int main(void) {
  run_two(writer, reader);
  printf("%d %d\n", shared, seen);
}
