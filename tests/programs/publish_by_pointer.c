// An object is published by a plain pointer.
#include "test.h"

struct Object {
  int a;
  int b;
};
struct Object* published;
int seen;

THREAD(maker) {
  struct Object* made = malloc(sizeof *made);
  made->a = 3;       // RACE(b)
  made->b = 4;
  published = made;  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(user) {
  order_wait();
  struct Object* mine = published;  // RACE(a)
  seen = mine->a;  // RACE(b)
  return NULL;
}

int main(void) {
  run_two(maker, user);
  printf("%d\n", seen + published->b);
  free(published);
}
