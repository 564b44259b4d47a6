// What is written to one eventfd orders nothing for who reads from another.
#include <sys/eventfd.h>

#include "test.h"

int mine, yours;
int data;

THREAD(writer) {
  data = 1;  // RACE(a)
  must(eventfd_write(mine, 1) == 0);
  order_wait();
  return NULL;
}

THREAD(reader) {
  eventfd_t value;
  order_wait();
  must(eventfd_read(yours, &value) == 0);
  data++;  // RACE(a)
  return NULL;
}

int main(void) {
  mine = eventfd(0, 0);
  yours = eventfd(1, 0);
  run_two(writer, reader);
  printf("%d\n", data);
}
