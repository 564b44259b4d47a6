// LEVELS: O1
// A semaphore lets nobody through unless another thread has stored how many it lets.
// NORACE
#include <semaphore.h>

#include "test.h"

sem_t semaphore;
int count = 0, data;

THREAD(first) {
  data = 1;
  lock();
  count = 1;
  unlock();
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  lock();
  const int mine = count;
  unlock();
  sem_init(&semaphore, 0, mine);
  sem_wait(&semaphore);
  data = 2;
  return NULL;
}

int main(void) {
  run_two(first, second);
  printf("%d %d\n", data, count);
}
