// snprintf writes a buffer that another thread reads.
#include "test.h"

char buffer[32];
char seen;
int length;

THREAD(writer) {
  length = snprintf(buffer, sizeof buffer, "%d-%s-%c", 42, "text", 'z');  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(reader) {
  order_wait();
  seen = buffer[1];  // RACE(a)
  return NULL;
}

int main(void) {
  run_two(writer, reader);
  printf("%c %d\n", seen, length);
}
