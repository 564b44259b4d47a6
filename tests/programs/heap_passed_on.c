// Objects are handed over through a locked slot; the second one lies where the first was, which another thread had
// freed. Then the maker writes to an object that it has given away.
#include "test.h"

static int *slot, got[2];

THREAD(maker) {
  for (int i = 0; i < 2; i++) {
    int *object = malloc(2000);  // too large for the caches of threads: it gets the same memory again
    object[0] = i;
    object[1] = 0;
    lock();
    slot = object;
    unlock();
    if (i == 1) object[1] = 7;  // RACE(late) FREED(b)
    order_wait();
    order_wait();
  }
  return NULL;
}
static int take(void) {
  lock();
  int *object = slot;
  slot = NULL;
  unlock();
  if (object == NULL) return -1;
  int result = object[0];
  result += object[1];  // RACE(late)
  free(object);  // FREED(b)
  return result;
}
THREAD(first) {
  order_wait();
  got[0] = take();
  order_wait();
  order_wait();
  order_wait();
  return NULL;
}
THREAD(second) {
  order_wait();
  order_wait();
  order_wait();
  got[1] = take();
  order_wait();
  return NULL;
}

int main(void) {
  order_init(3);
  pthread_t threads[3];
  pthread_create(&threads[0], NULL, maker, NULL);
  pthread_create(&threads[1], NULL, first, NULL);
  pthread_create(&threads[2], NULL, second, NULL);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  printf("%d %d\n", got[0], got[1]);
  return 0;
}
