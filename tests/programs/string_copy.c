// strcpy, strncpy and strcat write what strlen, strcmp and strchr read.
#include "test.h"

char a[32], b[32], c[32] = "one";
const char* words[] = {"hello", "world", "two"};
int results[3];

NOINLINE static void write_all(const char** from) {
  strcpy(a, from[0]);      // RACE(a)
  strncpy(b, from[1], 8);  // RACE(b)
  strcat(c, from[2]);      // RACE(c)
}

NOINLINE static void read_all(const char** with) {
  results[0] = (int)strlen(a);                 // RACE(a)
  results[1] = strcmp(b, with[1]);             // RACE(b)
  results[2] = (int)(strchr(c, 't') - c);      // RACE(c)
}

THREAD(writer) {
  write_all(words);
  order_wait();
  return NULL;
}

THREAD(reader) {
  order_wait();
  read_all(words);
  return NULL;
}

int main(void) {
  run_two(writer, reader);
  printf("%d %d %d\n", results[0], results[1], results[2]);
}
