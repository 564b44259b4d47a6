// Who is told that something can be read is after who wrote it, though nobody reads it; but what it does after that is not.
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <unistd.h>

#include "test.h"

int data, late;
int event, other;

THREAD(sender) {
  data = 1;
  must(eventfd_write(event, 1) == 0 && eventfd_write(other, 1) == 0);
  order_wait();
  lock();
  late = 2;  // RACE(a)
  unlock();
  order_wait();
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
  order_wait();
  order_wait();
  late++;  // RACE(a)
  return NULL;
}

int main(void) {
  event = eventfd(0, 0);
  other = eventfd(0, 0);
  run_two(sender, receiver);
  printf("%d %d\n", data, late);
}
