// epoll tells of the descriptors that are ready: what was given to others orders nothing.
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "test.h"

int mine, yours, waiting;
int data;

THREAD(writer) {
  data = 1;  // RACE(a)
  must(eventfd_write(mine, 1) == 0);
  order_wait();
  return NULL;
}

THREAD(waiter) {
  struct epoll_event ready[1];
  order_wait();
  must(epoll_wait(waiting, ready, 1, -1) == 1 && ready[0].data.fd == yours);
  data++;  // RACE(a)
  return NULL;
}

int main(void) {
  struct epoll_event event = {.events = EPOLLIN};
  mine = eventfd(0, 0);
  yours = eventfd(1, 0);
  waiting = epoll_create1(0);
  event.data.fd = yours;
  must(epoll_ctl(waiting, EPOLL_CTL_ADD, yours, &event) == 0);
  run_two(writer, waiter);
  printf("%d\n", data);
}
