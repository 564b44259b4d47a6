// One thread says that a signal is ignored, another one asks for that. What is done after that, nothing orders.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <signal.h>
#include "test.h"

int data;
struct sigaction action;

THREAD(tells) {
  lock();
  signal(SIGUSR1, SIG_IGN);
  unlock();
  data = 1;  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(looks) {
  order_wait();
  lock();
  const int told = sigaction(SIGUSR1, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
  unlock();
  if (told) data = 2;  // RACE(a)
  return NULL;
}

int main(void) {
  run_two(tells, looks);
  return data == 0;
}
