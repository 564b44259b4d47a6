// A handler interrupts its own thread, also in the middle of its work: it belongs to that thread, so nothing races.
// FLAGS: -D_GNU_SOURCE
// NORACE
#include <signal.h>

#include "test.h"

int mine[2];
int handled[2];
_Thread_local int me;

static void handler(UNUSED int number, siginfo_t* information, UNUSED void* context) {
  handled[me] += information->si_signo == SIGUSR2;
}

static void* worker(void* argument) {
  me = (int)(long)argument;
  for (int i = 0; i < 3; i++) {
    mine[me] += i;
    pthread_kill(pthread_self(), SIGUSR2);
  }
  return NULL;
}

int main(void) {
  struct sigaction action = {0}, old;
  pthread_t a, b;
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(SIGUSR2, &action, NULL);
  pthread_create(&a, NULL, worker, (void*)0);
  pthread_create(&b, NULL, worker, (void*)1);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  sigaction(SIGUSR2, NULL, &old);
  printf("%d %d %d %d %d\n", mine[0], mine[1], handled[0], handled[1], old.sa_sigaction == handler);
}
