// One thread says that a signal is ignored, another one asks for that. What was done before that is before what is done after it was seen.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <signal.h>
#include "test.h"

int data;
// NORACE
struct sigaction action;

THREAD(tells) {
  data = 1;
  lock();
  signal(SIGUSR1, SIG_IGN);
  unlock();
  order_wait();
  return NULL;
}

THREAD(looks) {
  order_wait();
  lock();
  const int told = sigaction(SIGUSR1, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
  unlock();
  if (told) data = 2;
  return NULL;
}

int main(void) {
  run_two(tells, looks);
  return data == 0;
}
