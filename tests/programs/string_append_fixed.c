// strcat and strncat leave alone what the string had before, and what is behind it.
// NORACE
#include "test.h"

char text[32] = "abc";
int seen;

NOINLINE static void append(char* to, const char* more) {
  strcat(to, more);
  strncat(to, more, 2);
}

THREAD(writer) {
  append(text, "defg");
  order_wait();
  return NULL;
}

THREAD(reader) {
  order_wait();
  seen = text[1] + text[10];
  return NULL;
}

int main(void) {
  run_two(writer, reader);
  printf("%c %s\n", seen, text);
}
