// EXIT: 5
// A thread ends the process with _exit while another one lives; both wrote.
#include <unistd.h>

#include "test.h"

int shared;

THREAD(first) {
  shared++;  // RACE(a)
  order_wait();
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  shared++;  // RACE(a)
  _exit(5);
}

int main(void) {
  run_two(first, second);
}
