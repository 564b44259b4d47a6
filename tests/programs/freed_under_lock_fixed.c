// As freed_under_lock.c, but users are counted under the lock, and the last one frees.
// NORACE
#include "test.h"

static int* object;
static int users = 2;

static void leave(void) {
  lock();
  const int last = --users == 0;
  unlock();
  if (last) free(object);
}

THREAD(user) {
  must(*object == 7);
  leave();
  order_wait();
  return NULL;
}

THREAD(other) {
  order_wait();
  must(*object == 7);
  leave();
  return NULL;
}

int main(void) {
  object = malloc(sizeof(int));
  *object = 7;
  run_two(user, other);
  return 0;
}
