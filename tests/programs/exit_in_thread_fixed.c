// EXIT: 5
// A thread ends the process with _exit while another one lives; both took the lock.
// NORACE
#include <unistd.h>

#include "test.h"

int shared;

THREAD(first) {
  lock();
  shared++;
  unlock();
  order_wait();
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  lock();
  shared++;
  unlock();
  _exit(5);
}

int main(void) {
  run_two(first, second);
}
