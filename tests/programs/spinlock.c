// One of two threads forgets the spin lock.
#include "test.h"

pthread_spinlock_t spin;
int shared;
int held;

THREAD(first) {
  pthread_spin_lock(&spin);
  shared++;  // RACE(a)
  order_wait();
  order_wait();
  pthread_spin_unlock(&spin);
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  held = pthread_spin_trylock(&spin) != 0;
  order_wait();
  order_wait();
  shared++;  // RACE(a)
  return NULL;
}

int main(void) {
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  run_two(first, second);
  printf("%d %d\n", shared, held);
  pthread_spin_destroy(&spin);
}
