// LEVELS: O1
// Who adds to an eventfd that is at its maximum waits for who reads it. The write comes too late.
#include <sys/eventfd.h>
#include <unistd.h>

#include "test.h"

int shared;
static int event;

THREAD(first) {
  uint64_t value;
  order_wait();
  must(read(event, &value, sizeof(value)) == sizeof(value));
  shared = 1;  // RACE(a)
  return NULL;
}

THREAD(second) {
  const uint64_t one = 1;
  order_wait();
  must(write(event, &one, sizeof(one)) == sizeof(one));
  shared = 2;  // RACE(a)
  return NULL;
}

int main(void) {
  const uint64_t most = 0xfffffffffffffffe;
  event = eventfd(0, 0);
  must(write(event, &most, sizeof(most)) == sizeof(most));
  run_two(first, second);
}
