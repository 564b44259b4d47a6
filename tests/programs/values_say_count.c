// LEVELS: O1
// A semaphore lets its first thread through, whatever another one stored.
#include <semaphore.h>

#include "test.h"

sem_t semaphore;
int count = 1, data;

THREAD(first) {
  data = 1;  // RACE(a) by syncp
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
  sem_init(&semaphore, 0, 1 + 0 * mine);
  sem_wait(&semaphore);
  data = 2;  // RACE(a) by syncp
  return NULL;
}

int main(void) {
  run_two(first, second);
  printf("%d %d\n", data, count);
}
