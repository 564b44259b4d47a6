// The program has its own strsep, and uses the library's strcat: a race in its own is found, too.
#include "test.h"

char text[32] = "one";
int words, seen;

char* strsep(char** rest, const char* separators) {
  char* const was = *rest;
  if (was == NULL) return NULL;
  char* const end = strpbrk(was, separators);
  *rest = end == NULL ? NULL : end + 1;
  if (end != NULL) *end = 0;  // RACE(a)
  return was;
}

NOINLINE static void split(char* x) {
  strcat(x, " two");  // RACE(b)
  while (strsep(&x, " ") != NULL) words++;
}

THREAD(writer) {
  split(text);
  order_wait();
  return NULL;
}

THREAD(reader) {
  order_wait();
  seen = text[3];  // RACE(a) RACE(b)
  return NULL;
}

int main(void) {
  run_two(writer, reader);
  printf("%d %d\n", seen, words);
}
