// memcmp and bcmp read under the lock what another thread writes.
// NORACE
#include <strings.h>

#include "test.h"

char text[16] = "abcdefg";
char other[16] = "abcdefg";
int results[2];

NOINLINE static void compare(const char* x, const char* y, size_t length) {
  results[0] = memcmp(x, y, length) < 0;
  results[1] = bcmp(x, y, length) != 0;
}

THREAD(reader) {
  lock();
  compare(text, other, strlen(other));
  unlock();
  order_wait();
  return NULL;
}

THREAD(writer) {
  order_wait();
  lock();
  text[3] = 'x';
  unlock();
  return NULL;
}

int main(void) {
  run_two(reader, writer);
  printf("%d %d\n", results[0], results[1]);
}
