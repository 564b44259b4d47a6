// Each thread has its own text.
// NORACE
#define _GNU_SOURCE
#include "test.h"

NOINLINE static int print(char** to, int number) {
  return asprintf(to, "%d and %s", number, "more");
}

static void use(void) {
  char* text = NULL;
  must(print(&text, 5) == 10 && text[9] == 'e');
  free(text);
}

THREAD(first) {
  use();
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  use();
  return NULL;
}

int main(void) {
  run_two(first, second);
}
