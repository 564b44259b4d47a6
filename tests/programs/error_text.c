// strerror_r writes the text of an unknown error into a buffer that another thread reads.
#define _GNU_SOURCE
#include "test.h"

char buffer[64];
char seen;

NOINLINE static const char* explain(int error, char* x) {
  return strerror_r(error, x, 64);  // RACE(a)
}

THREAD(writer) {
  must(explain(12345, buffer) == buffer);
  order_wait();
  return NULL;
}

THREAD(reader) {
  order_wait();
  seen = buffer[3];  // RACE(a)
  return NULL;
}

int main(void) {
  run_two(writer, reader);
  printf("%c %s\n", seen, buffer);
}
