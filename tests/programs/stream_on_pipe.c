// What was read from a pipe by stdio was written before, by stdio; but what it does after that is not.
#include <stdio.h>
#include <unistd.h>

#include "test.h"

int data, late;
FILE *from, *to;

THREAD(sender) {
  data = 1;
  must(fputs("x\n", to) >= 0 && fflush(to) == 0);
  order_wait();
  lock();
  late = 2;  // RACE(a)
  unlock();
  order_wait();
  return NULL;
}

THREAD(receiver) {
  char line[8];
  must(fgets(line, sizeof(line), from) != NULL);
  data++;
  order_wait();
  order_wait();
  late++;  // RACE(a)
  return NULL;
}

int main(void) {
  int ends[2];
  must(pipe(ends) == 0);
  from = fdopen(ends[0], "r");
  to = fdopen(ends[1], "w");
  run_two(sender, receiver);
  printf("%d %d\n", data, late);
}
