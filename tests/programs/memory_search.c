// memchr reads what another thread writes: up to what it looks for.
#include "test.h"

char text[16] = "abcdefg";
int result;

NOINLINE static void search(char* x, size_t length) {
  result = (int)((char*)memchr(x, 'f', length) - x);  // RACE(a)
}

THREAD(reader) {
  search(text, 7);
  order_wait();
  return NULL;
}

THREAD(writer) {
  order_wait();
  text[3] = 'x';  // RACE(a)
  return NULL;
}

int main(void) {
  run_two(reader, writer);
  printf("%d\n", result);
}
