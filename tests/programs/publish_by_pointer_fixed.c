// An object is published by a pointer under the lock.
// NORACE
#include "test.h"

struct Object {
  int a;
  int b;
};
struct Object* published;
int seen;

THREAD(maker) {
  struct Object* made = malloc(sizeof *made);
  made->a = 3;
  made->b = 4;
  lock();
  published = made;
  unlock();
  order_wait();
  return NULL;
}

THREAD(user) {
  order_wait();
  lock();
  struct Object* mine = published;
  unlock();
  seen = mine->a;
  return NULL;
}

int main(void) {
  run_two(maker, user);
  printf("%d\n", seen + published->b);
  free(published);
}
