// memchr reads under the lock what another thread writes.
// NORACE
#include "test.h"

char text[16] = "abcdefg";
int result;

NOINLINE static void search(char* x, size_t length) {
  result = (int)((char*)memchr(x, 'f', length) - x);
}

THREAD(reader) {
  lock();
  search(text, strlen(text));
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
  printf("%d\n", result);
}
