// What a thread is given depends on a read: the new thread writes to the element whose number was just published, and
// the publisher still writes to it.
#include "test.h"

int elements[2];
int number;

static void* publisher(void* unused) {
  (void)unused;
  lock();
  number = 1;
  unlock();
  elements[1] = 5;  // RACE(a)
  order_wait();
  return NULL;
}

static void* writer(void* argument) {
  *(int*)argument = 6;  // RACE(a)
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
