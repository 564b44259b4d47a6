// What a thread gives back depends on a read: its creator writes to the element whose number it returns, which another
// thread still writes to.
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
  *(int*)chosen = 6;  // RACE(a)
  pthread_join(first, NULL);
  printf("%d\n", number);
}
