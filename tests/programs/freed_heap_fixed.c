// As freed_heap.c, but the object is freed when both threads have ended.
// NORACE
#include "test.h"

static int* object;

THREAD(user) {
  must(*object == 7);
  order_wait();
  return NULL;
}

THREAD(other) {
  order_wait();
  must(*object == 7);
  return NULL;
}

int main(void) {
  object = malloc(sizeof(int));
  *object = 7;
  run_two(user, other);
  free(object);
  return 0;
}
