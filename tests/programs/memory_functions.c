// memcpy, memset and memmove of a length known only at run time race with plain accesses.
#include "test.h"

char a[32], b[32], c[32];
char source[32] = "abcdefghijklmnopqrstuvwxyz";
char seen[3];

NOINLINE static void fill(size_t length) {
  memcpy(a, source, length);  // RACE(a)
  memset(b, 'x', length);     // RACE(b)
  memmove(c + 1, c, length);  // RACE(c)
}

THREAD(first) {
  fill(strlen(source) - 10);
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  seen[0] = a[15];  // RACE(a)
  seen[1] = b[15];  // RACE(b)
  c[16] = 'y';      // RACE(c)
  return NULL;
}

int main(void) {
  run_two(first, second);
  printf("%d %d %d\n", seen[0], seen[1], c[16]);
}
