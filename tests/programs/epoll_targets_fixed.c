// Who is told by epoll that a descriptor is ready is after who wrote to it, and after who registered it, though nobody reads it.
// NORACE
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "test.h"

int mine, waiting;
int data, registered;

THREAD(writer) {
  struct epoll_event event = {.events = EPOLLIN, .data = {.fd = mine}};
  registered = 1;
  must(epoll_ctl(waiting, EPOLL_CTL_ADD, mine, &event) == 0);
  data = 1;
  must(eventfd_write(mine, 1) == 0);
  return NULL;
}

THREAD(waiter) {
  struct epoll_event ready[1];
  must(epoll_wait(waiting, ready, 1, -1) == 1);
  data += registered;
  return NULL;
}

int main(void) {
  mine = eventfd(0, 0);
  waiting = epoll_create1(0);
  run_two(writer, waiter);
  printf("%d\n", data);
}
