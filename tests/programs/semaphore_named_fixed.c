// A named semaphore is used as a lock by both threads.
// NORACE
#include <fcntl.h>
#include <semaphore.h>
#include <unistd.h>

#include "test.h"

sem_t* gate;
int shared;

THREAD(first) {
  sem_wait(gate);
  shared++;
  sem_post(gate);
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  sem_wait(gate);
  shared++;
  sem_post(gate);
  return NULL;
}

int main(void) {
  char name[64];
  snprintf(name, sizeof name, "/racecast-test-%d", (int)getpid());
  gate = sem_open(name, O_CREAT | O_EXCL, 0600, 1);
  if (gate == SEM_FAILED) return 1;
  sem_unlink(name);
  run_two(first, second);
  printf("%d\n", shared);
  sem_close(gate);
}
