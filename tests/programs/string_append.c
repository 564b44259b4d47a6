// strcat writes behind a string what another thread reads.
#include "test.h"

char text[32] = "abc";
char seen;

NOINLINE static void append(char* to, const char* more) {
  strcat(to, more);  // RACE(a)
}

THREAD(writer) {
  append(text, "defg");
  order_wait();
  return NULL;
}

THREAD(reader) {
  order_wait();
  seen = text[4];  // RACE(a)
  return NULL;
}

int main(void) {
  run_two(writer, reader);
  printf("%c %s\n", seen, text);
}
