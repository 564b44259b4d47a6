// asprintf stores where its text is, which another thread reads.
#define _GNU_SOURCE
#include "test.h"

char* text;

NOINLINE static int print(char** to, int number) {
  return asprintf(to, "%d and %s", number, "more");  // RACE(a)
}

THREAD(writer) {
  must(print(&text, 5) == 10);
  order_wait();
  return NULL;
}

THREAD(reader) {
  order_wait();
  must(text != NULL);  // RACE(a)
  return NULL;
}

int main(void) {
  run_two(writer, reader);
  printf("%s\n", text);
  free(text);
}
