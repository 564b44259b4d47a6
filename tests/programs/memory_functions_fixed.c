// memcpy, memset and memmove of a length known only at run time, each on bytes of its own.
// NORACE
#include "test.h"

char a[32], b[32], c[32];
char source[32] = "abcdefghijklmnopqrstuvwxyz";
char seen[3];

NOINLINE static void fill(size_t length) {
  memcpy(a, source, length);
  memset(b, 'x', length);
  memmove(c + 1, c, length);
}

THREAD(first) {
  fill(strlen(source) - 10);
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  seen[0] = a[16];
  seen[1] = b[16];
  c[17] = 'y';
  return NULL;
}

int main(void) {
  run_two(first, second);
  printf("%d %d %d\n", seen[0], seen[1], c[16]);
}
