// Two threads use one eventfd, by two descriptors.
// NORACE
#include <sys/eventfd.h>
#include <unistd.h>

#include "test.h"

int mine, yours;
int data;

THREAD(writer) {
  data = 1;
  must(eventfd_write(mine, 1) == 0);
  order_wait();
  return NULL;
}

THREAD(reader) {
  eventfd_t value;
  order_wait();
  must(eventfd_read(yours, &value) == 0);
  data++;
  return NULL;
}

int main(void) {
  mine = eventfd(0, 0);
  yours = dup(mine);
  run_two(writer, reader);
  printf("%d\n", data);
}
