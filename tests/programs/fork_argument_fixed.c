// What a thread is given depends on a read: if the number were not published yet, the new thread would write to the
// other element. So nothing races, although the schedule could change.
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

static void* writer(void* argument) {
  *(int*)argument = 6;
  return NULL;
}

int main(void) {
  pthread_t first, second;
  order_init(2);
  pthread_create(&first, NULL, publisher, NULL);
  order_wait();
  lock();
  int now = number;
  unlock();
  pthread_create(&second, NULL, writer, &elements[now]);
  pthread_join(second, NULL);
  pthread_join(first, NULL);
  printf("%d\n", number);
}
