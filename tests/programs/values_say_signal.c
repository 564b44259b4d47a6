// LEVELS: O1
// Which signal a thread raises says another one, the same as before; its handler writes what that wrote without the lock.
#include <signal.h>

#include "test.h"

int data, other, number;

static void handle_first(UNUSED int signal) { other = 2; }
static void handle_second(UNUSED int signal) { data = 2; }  // RACE(a) by maximal

THREAD(first) {
  data = 1;  // RACE(a) by maximal
  lock();
  number = SIGUSR2;
  unlock();
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  lock();
  const int mine = number;
  unlock();
  raise(mine);
  return NULL;
}

int main(void) {
  number = SIGUSR2;
  signal(SIGUSR1, handle_first);
  signal(SIGUSR2, handle_second);
  run_two(first, second);
  printf("%d\n", data);
}
