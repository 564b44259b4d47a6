// strtok_r and strsep write zeros into the string that another thread reads.
#include "test.h"

char text[] = "one two,three four";
char line[] = "a:b";
int seen, words;

NOINLINE static void split(char* x) {
  char* rest;
  for (char* word = strtok_r(x, " ,", &rest); word; word = strtok_r(NULL, " ,", &rest)) words++;  // RACE(a)
}

NOINLINE static void cut(char* x) {
  while (strsep(&x, ":") != NULL) words++;  // RACE(b)
}

THREAD(writer) {
  split(text);
  cut(line);
  order_wait();
  return NULL;
}

THREAD(reader) {
  order_wait();
  seen = text[7];   // RACE(a)
  seen += line[1];  // RACE(b)
  return NULL;
}

int main(void) {
  run_two(writer, reader);
  printf("%d %d\n", seen, words);
}
