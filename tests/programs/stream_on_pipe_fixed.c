// What was read from a pipe by stdio was written before, by stdio.
// NORACE
#include <stdio.h>
#include <unistd.h>

#include "test.h"

int data;
FILE *from, *to;

THREAD(sender) {
  data = 1;
  must(fputs("x\n", to) >= 0 && fflush(to) == 0);
  return NULL;
}

THREAD(receiver) {
  char line[8];
  must(fgets(line, sizeof(line), from) != NULL);
  data++;
  return NULL;
}

int main(void) {
  int ends[2];
  must(pipe(ends) == 0);
  from = fdopen(ends[0], "r");
  to = fdopen(ends[1], "w");
  run_two(sender, receiver);
  printf("%d\n", data);
}
