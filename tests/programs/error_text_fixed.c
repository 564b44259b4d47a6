// strerror_r leaves the buffer alone where the error is known.
// NORACE
#define _GNU_SOURCE
#include "test.h"

char buffer[64];
const char* text;

NOINLINE static const char* explain(int error, char* x) {
  return strerror_r(error, x, 64);
}

THREAD(writer) {
  text = explain(2, buffer);
  order_wait();
  return NULL;
}

THREAD(reader) {
  order_wait();
  buffer[3] = 5;
  must(explain(3, buffer) != buffer);
  return NULL;
}

int main(void) {
  run_two(writer, reader);
  printf("%s %s\n", text, explain(12345, buffer));
}
