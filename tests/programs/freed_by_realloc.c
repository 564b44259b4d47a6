// realloc frees the old block, which another thread still reads.
#include "test.h"

static char* block;

THREAD(user) {
  must(block[0] == 'a');  // FREED(a) RACE(b)
  order_wait();
  return NULL;
}

THREAD(owner) {
  order_wait();
  block = realloc(block, 100000);  // FREED(a) RACE(b)
  return NULL;
}

int main(void) {
  block = malloc(16);
  block[0] = 'a';
  run_two(user, owner);
  free(block);
  return 0;
}
