// One thread reads an object, another frees it, and nothing says who is first.
#include "test.h"

static int* object;

THREAD(user) {
  must(*object == 7);  // FREED(a)
  order_wait();
  return NULL;
}

THREAD(owner) {
  order_wait();
  free(object);  // FREED(a)
  return NULL;
}

int main(void) {
  object = malloc(sizeof(int));
  *object = 7;
  run_two(user, owner);
  return 0;
}
