// LEVELS: O1
// A handler waits for a semaphore; what comes after raise comes after that. The write comes too late.
#include <semaphore.h>
#include <signal.h>

#include "test.h"

int shared;
static sem_t semaphore;

static void handle(int number) {
  (void)number;
  sem_wait(&semaphore);
}

THREAD(first) {
  sem_post(&semaphore);
  shared = 1;  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  raise(SIGUSR1);
  shared = 2;  // RACE(a)
  return NULL;
}

int main(void) {
  sem_init(&semaphore, 0, 0);
  signal(SIGUSR1, handle);
  run_two(first, second);
}
