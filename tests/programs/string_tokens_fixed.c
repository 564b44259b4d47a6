// strtok_r and strsep write nothing but zeros where words end.
// NORACE
#include "test.h"

char text[] = "  one two,three four";
char line[] = "a:b";
int seen, words;

NOINLINE static void split(char* x) {
  char* rest;
  for (char* word = strtok_r(x, " ,", &rest); word; word = strtok_r(NULL, " ,", &rest)) words++;
}

NOINLINE static void cut(char* x) {
  while (strsep(&x, ":") != NULL) words++;
}

THREAD(writer) {
  split(text);
  cut(line);
  order_wait();
  return NULL;
}

THREAD(reader) {
  order_wait();
  seen = text[0] + text[2] + text[8];
  seen += line[0] + line[2];
  return NULL;
}

int main(void) {
  run_two(writer, reader);
  printf("%d %d\n", seen, words);
}
