// A handler runs after its signal was sent, and beside what its sender does then.
// OUTPUT: 1
#include <signal.h>
#include <stdatomic.h>

#include "test.h"

static int x;
static atomic_int started, done;

static void handler(UNUSED int number) {
  x = 1;  // RACE(a)
  atomic_store(&done, 1);
}

THREAD(waits) {
  atomic_store(&started, 1);
  while (!atomic_load(&done)) sched_yield();
  return NULL;
}

int main(void) {
  signal(SIGUSR1, handler);
  pthread_t thread;
  pthread_create(&thread, NULL, waits, NULL);
  while (!atomic_load(&started)) sched_yield();
  pthread_kill(thread, SIGUSR1);
  x = 1;  // RACE(a)
  while (!atomic_load(&done)) sched_yield();
  pthread_join(thread, NULL);
  printf("%d\n", x);
  return 0;
}
