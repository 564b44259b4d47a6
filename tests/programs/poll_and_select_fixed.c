// Who is told that something can be read is after who wrote it, though nobody reads it.
// NORACE
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <unistd.h>

#include "test.h"

int data;
int event, other;

THREAD(sender) {
  data = 1;
  must(eventfd_write(event, 1) == 0 && eventfd_write(other, 1) == 0);
  return NULL;
}

THREAD(receiver) {
  struct pollfd ready = {event, POLLIN, 0};
  fd_set set;
  must(poll(&ready, 1, -1) == 1);
  FD_ZERO(&set);
  FD_SET(other, &set);
  must(select(other + 1, &set, NULL, NULL, NULL) == 1);
  data++;
  return NULL;
}

int main(void) {
  event = eventfd(0, 0);
  other = eventfd(0, 0);
  run_two(sender, receiver);
  printf("%d\n", data);
}
