// Who waits until a System V semaphore is 0 is after who took the last of it.
// NORACE
#include <sys/ipc.h>
#include <sys/sem.h>

#include "test.h"

int data;
int semaphore;
static void change(int by) {
  struct sembuf operation = {0, (short)by, 0};
  must(semop(semaphore, &operation, 1) == 0);
}

THREAD(sender) {
  data = 1;
  change(-1);
  return NULL;
}

THREAD(receiver) {
  change(0);
  data++;
  return NULL;
}

int main(void) {
  semaphore = semget(IPC_PRIVATE, 1, 0600);
  must(semaphore >= 0);
  change(1);
  run_two(sender, receiver);
  semctl(semaphore, 0, IPC_RMID);
  printf("%d\n", data);
}
