// Who sends a signal is before who reads it from a descriptor.
// NORACE
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "test.h"

int data;
int signals;

THREAD(sender) {
  data = 1;
  must(kill(getpid(), SIGUSR1) == 0);
  return NULL;
}

THREAD(receiver) {
  struct signalfd_siginfo signal;
  must(read(signals, &signal, sizeof(signal)) == sizeof(signal));
  data++;
  return NULL;
}

int main(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  signals = signalfd(-1, &set, 0);
  run_two(sender, receiver);
  printf("%d\n", data);
}
