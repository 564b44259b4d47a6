// Who takes from a System V semaphore is after who gave to it; but what it does after that is not.
#include <sys/ipc.h>
#include <sys/sem.h>

#include "test.h"

int data, late;
int semaphore;
static void change(int by) {
  struct sembuf operation = {0, (short)by, 0};
  must(semop(semaphore, &operation, 1) == 0);
}

THREAD(sender) {
  data = 1;
  change(1);
  order_wait();
  lock();
  late = 2;  // RACE(a)
  unlock();
  order_wait();
  return NULL;
}

THREAD(receiver) {
  change(-1);
  data++;
  order_wait();
  order_wait();
  late++;  // RACE(a)
  return NULL;
}

int main(void) {
  semaphore = semget(IPC_PRIVATE, 1, 0600);
  must(semaphore >= 0);
  run_two(sender, receiver);
  semctl(semaphore, 0, IPC_RMID);
  printf("%d %d\n", data, late);
}
