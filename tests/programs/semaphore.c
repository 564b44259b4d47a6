// The item is put into the buffer after the semaphore was posted.
#include <semaphore.h>

#include "test.h"

sem_t items;
int buffer[2];
int sum;

THREAD(producer) {
  for (int i = 0; i < 2; i++) {
    sem_post(&items);
    buffer[i] = i + 1;  // RACE(a)
  }
  order_wait();
  return NULL;
}

THREAD(consumer) {
  order_wait();
  for (int i = 0; i < 2; i++) {
    sem_wait(&items);
    sum += buffer[i];  // RACE(a)
  }
  return NULL;
}

int main(void) {
  int left;
  sem_init(&items, 0, 0);
  run_two(producer, consumer);
  sem_getvalue(&items, &left);
  printf("%d %d\n", sum, left);
  sem_destroy(&items);
}
