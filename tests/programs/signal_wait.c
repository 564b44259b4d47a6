// A thread waits for a signal with sigwait; main writes after it has sent it.
#include <signal.h>

#include "test.h"

int shared;
int got;

THREAD(waiter) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigwait(&set, &got);
  shared++;  // RACE(a)
  order_wait();
  return NULL;
}

int main(void) {
  pthread_t thread;
  sigset_t set;
  order_init(2);
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  pthread_create(&thread, NULL, waiter, NULL);
  pthread_kill(thread, SIGUSR1);
  order_wait();
  shared++;  // RACE(a)
  pthread_join(thread, NULL);
  printf("%d %d\n", shared, got == SIGUSR1);
}
