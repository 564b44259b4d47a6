// LEVELS: O1
// Which signal a thread raises says another one, after it has written what only one handler writes.
// NORACE
#include <signal.h>

#include "test.h"

int data, other, number;

static void handle_first(UNUSED int signal) { other = 2; }
static void handle_second(UNUSED int signal) { data = 2; }

THREAD(first) {
  data = 1;
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
  number = SIGUSR1;
  signal(SIGUSR1, handle_first);
  signal(SIGUSR2, handle_second);
  run_two(first, second);
  printf("%d\n", data);
}
