// TSAN: misses (a relaxed store does not end its release sequences)
// A relaxed store in the middle ends the release sequence.
#include <stdatomic.h>

#include "test.h"

atomic_int flag;
int message;

THREAD(sender) {
  message = 5;  // RACE(a)
  atomic_store_explicit(&flag, 1, memory_order_release);
  order_wait();
  order_wait();
  return NULL;
}

THREAD(middle) {
  order_wait();
  atomic_store_explicit(&flag, 2, memory_order_relaxed);
  order_wait();
  return NULL;
}

THREAD(receiver) {
  order_wait();
  order_wait();
  while (atomic_load_explicit(&flag, memory_order_acquire) != 2) sched_yield();
  message++;  // RACE(a)
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  order_init(3);
  pthread_create(&threads[0], NULL, sender, NULL);
  pthread_create(&threads[1], NULL, middle, NULL);
  pthread_create(&threads[2], NULL, receiver, NULL);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  printf("%d\n", message);
}
