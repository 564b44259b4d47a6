// LEVELS: O1
// Who sees that an eventfd is zero comes after who read it.
// NORACE
#include <sys/eventfd.h>
#include <unistd.h>

#include "test.h"

int shared;
static int event;

THREAD(first) {
  uint64_t value;
  shared = 1;
  must(read(event, &value, sizeof(value)) == sizeof(value));
  order_wait();
  return NULL;
}

THREAD(second) {
  uint64_t value;
  order_wait();
  must(read(event, &value, sizeof(value)) < 0);
  shared = 2;
  return NULL;
}

int main(void) {
  event = eventfd(1, EFD_NONBLOCK);
  run_two(first, second);
}
