// Two threads write to one FILE, which has a lock of its own; the line counter beside it has none.
#include "test.h"

FILE* file;
int lines;

NOINLINE static void say(const char* text) {
  fputs(text, file);
  fprintf(file, "%s %d\n", text, 5);
  lines++;  // RACE(a)
}

THREAD(first) {
  say("one");
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  say("two");
  return NULL;
}

int main(void) {
  file = tmpfile();
  if (file == NULL) return 1;
  run_two(first, second);
  char line[64];
  rewind(file);
  if (fgets(line, sizeof line, file) == NULL) return 1;
  printf("%s%ld %d\n", line, ftell(file), lines);
  fclose(file);
}
