// What a thread gives back depends on a read: if the number were not published yet, its creator would write to the other
// element. So nothing races, although the schedule could change.
// NORACE
#include "test.h"

int elements[2];
int number;

static void* publisher(void* unused) {
  (void)unused;
  elements[1] = 5;
  lock();
  number = 1;
  unlock();
  order_wait();
  return NULL;
}

static void* reader(void* unused) {
  (void)unused;
  lock();
  int* chosen = &elements[number];
  unlock();
  return chosen;
}

int main(void) {
  pthread_t first, second;
  order_init(2);
  pthread_create(&first, NULL, publisher, NULL);
  order_wait();
  pthread_create(&second, NULL, reader, NULL);
  void* chosen;
  pthread_join(second, &chosen);
  *(int*)chosen = 6;
  pthread_join(first, NULL);
  printf("%d\n", number);
}
