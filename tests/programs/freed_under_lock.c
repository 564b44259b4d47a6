// The use and the free are under one lock, which says nothing of who is first: another schedule frees first.
#include "test.h"

static int* object;

THREAD(user) {
  lock();
  must(*object == 7);  // FREED(a) by maximal
  unlock();
  order_wait();
  return NULL;
}

THREAD(owner) {
  order_wait();
  lock();
  unlock();
  free(object);  // FREED(a)
  return NULL;
}

int main(void) {
  object = malloc(sizeof(int));
  *object = 7;
  run_two(user, owner);
  return 0;
}
