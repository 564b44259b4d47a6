// LEVELS: O1
// Who is told that a pipe is full comes after who filled it. The write comes too late.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "test.h"

int shared;
static int ends[2];

static void fill(void) {
  static char page[4096];
  while (write(ends[1], page, sizeof(page)) > 0) {
  }
  must(errno == EAGAIN);
}

THREAD(first) {
  fill();
  shared = 1;  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(second) {
  struct pollfd output = {ends[1], POLLOUT, 0};
  order_wait();
  must(poll(&output, 1, 0) == 0);
  shared = 2;  // RACE(a)
  return NULL;
}

int main(void) {
  must(pipe(ends) == 0);
  must(fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0);
  run_two(first, second);
}
