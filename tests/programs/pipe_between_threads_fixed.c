// read() fills a buffer of its own thread.
// NORACE
#include <unistd.h>

#include "test.h"

int ends[2];
char buffer[8];
char seen;

THREAD(receiver) {
  if (read(ends[0], buffer, 4) != 4) abort();
  order_wait();
  return NULL;
}

THREAD(looker) {
  if (write(ends[1], "wxyz", 4) != 4) abort();
  order_wait();
  seen = 'y';
  return NULL;
}

int main(void) {
  if (pipe(ends) != 0) return 1;
  run_two(receiver, looker);
  printf("%c %c\n", seen, buffer[3]);
}
