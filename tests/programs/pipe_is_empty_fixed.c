// LEVELS: O1
// Who sees that a pipe is empty comes after who read what was there.
// NORACE
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "test.h"

int shared;
static int ends[2];

THREAD(first) {
  char byte;
  shared = 1;
  must(read(ends[0], &byte, 1) == 1);
  order_wait();
  return NULL;
}

THREAD(second) {
  struct pollfd input = {ends[0], POLLIN, 0};
  order_wait();
  must(poll(&input, 1, 0) == 0);
  shared = 2;
  return NULL;
}

int main(void) {
  must(pipe(ends) == 0);
  must(write(ends[1], "a", 1) == 1);
  run_two(first, second);
}
