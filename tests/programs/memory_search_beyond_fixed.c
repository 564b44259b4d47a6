// memchr reads nothing behind what it finds, nor memrchr before it, which another thread writes.
// NORACE
#include "test.h"

char text[16] = "abcdefg";
long result;

void* memrchr(const void* memory, int byte, size_t size);

NOINLINE static void search(char* x, size_t length) {
  result = (char*)memchr(x + 2, 'd', length) - x;
  result += (char*)memrchr(x, 'd', 5) - x;
}

THREAD(reader) {
  search(text, 6);
  order_wait();
  return NULL;
}

THREAD(writer) {
  order_wait();
  text[1] = 'x';
  text[5] = 'x';
  return NULL;
}

int main(void) {
  run_two(reader, writer);
  printf("%ld\n", result);
}
