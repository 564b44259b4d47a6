// read() fills a buffer that another thread looks at (what is written to a pipe is before what is read from it, not the other way round).
#include <unistd.h>

#include "test.h"

int ends[2];
char buffer[8];
char seen;

THREAD(receiver) {
  if (read(ends[0], buffer, 4) != 4) abort();  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(looker) {
  if (write(ends[1], "wxyz", 4) != 4) abort();
  order_wait();
  seen = buffer[2];  // RACE(a)
  return NULL;
}

int main(void) {
  if (pipe(ends) != 0) return 1;
  run_two(receiver, looker);
  printf("%c %c\n", seen, buffer[3]);
}
