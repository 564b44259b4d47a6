// Who sends a signal is before who reads it from a descriptor; but what it does after that is not.
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "test.h"

int data, late;
int signals;

THREAD(sender) {
  data = 1;
  must(kill(getpid(), SIGUSR1) == 0);
  order_wait();
  lock();
  late = 2;  // RACE(a)
  unlock();
  order_wait();
  return NULL;
}

THREAD(receiver) {
  struct signalfd_siginfo signal;
  must(read(signals, &signal, sizeof(signal)) == sizeof(signal));
  data++;
  order_wait();
  order_wait();
  late++;  // RACE(a)
  return NULL;
}

int main(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  signals = signalfd(-1, &set, 0);
  run_two(sender, receiver);
  printf("%d %d\n", data, late);
}
