// LEVELS: O1
// Who reads from a socket that was shut down for reading comes after who did that. The write comes too late.
#include <sys/socket.h>
#include <unistd.h>

#include "test.h"

int shared;
static int ends[2];

THREAD(first) {
  must(shutdown(ends[0], SHUT_RD) == 0);
  shared = 1;  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(second) {
  char byte;
  order_wait();
  must(read(ends[0], &byte, 1) == 0);
  shared = 2;  // RACE(a)
  return NULL;
}

int main(void) {
  must(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  run_two(first, second);
}
