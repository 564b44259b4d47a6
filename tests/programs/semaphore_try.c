// FLAGS: -D_GNU_SOURCE
// sem_trywait, sem_timedwait and sem_clockwait fail on an empty semaphore, and the code goes on.
#include <errno.h>
#include <semaphore.h>
#include <time.h>

#include "test.h"

sem_t items;
int item;
int failed, taken;

THREAD(consumer) {
  struct timespec past = {1, 0}, far = {1L << 33, 0};
  failed += sem_trywait(&items) != 0 && errno == EAGAIN;
  failed += sem_timedwait(&items, &past) != 0 && errno == ETIMEDOUT;
  failed += sem_clockwait(&items, CLOCK_MONOTONIC, &past) != 0 && errno == ETIMEDOUT;
  int seen = item;  // RACE(a)
  order_wait();
  order_wait();
  taken += sem_trywait(&items) == 0;
  taken += sem_timedwait(&items, &far) == 0;
  taken += sem_clockwait(&items, CLOCK_MONOTONIC, &far) == 0;
  return (void*)(long)seen;
}

THREAD(producer) {
  order_wait();
  item = 1;  // RACE(a)
  for (int i = 0; i < 3; i++) sem_post(&items);
  order_wait();
  return NULL;
}

int main(void) {
  sem_init(&items, 0, 0);
  run_two(consumer, producer);
  printf("%d %d %d\n", item, failed, taken);
}
