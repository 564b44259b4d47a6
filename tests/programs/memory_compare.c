// memcmp and bcmp read what another thread writes.
#include <strings.h>

#include "test.h"

char text[16] = "abcdefg";
char other[16] = "abcdefg";
int results[2];

NOINLINE static void compare(const char* x, const char* y, size_t length) {
  results[0] = memcmp(x, y, length) < 0;  // RACE(a)
  results[1] = bcmp(x, y, length) != 0;   // RACE(b)
}

THREAD(reader) {
  compare(text, other, strlen(other));
  order_wait();
  return NULL;
}

THREAD(writer) {
  order_wait();
  text[3] = 'x';  // RACE(a) RACE(b)
  return NULL;
}

int main(void) {
  run_two(reader, writer);
  printf("%d %d\n", results[0], results[1]);
}
