// What was written before a signal was sent is read by who waits for it: nobody gets it before.
// NORACE
#include <signal.h>

#include "test.h"

int shared;
int got;

THREAD(waiter) {
  sigset_t set;
  siginfo_t information;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  got = sigwaitinfo(&set, &information);
  shared++;
  order_wait();
  return NULL;
}

int main(void) {
  pthread_t thread;
  sigset_t set;
  order_init(2);
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  pthread_create(&thread, NULL, waiter, NULL);
  shared = 1;
  pthread_kill(thread, SIGUSR2);
  order_wait();
  pthread_join(thread, NULL);
  printf("%d %d\n", shared, got == SIGUSR2);
  return 0;
}
