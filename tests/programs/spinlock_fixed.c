// Both threads take the spin lock, one by trying.
// NORACE
#include "test.h"

pthread_spinlock_t spin;
int shared;
int held;

THREAD(first) {
  pthread_spin_lock(&spin);
  shared++;
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
  while (pthread_spin_trylock(&spin) != 0) {
  }
  shared++;
  pthread_spin_unlock(&spin);
  return NULL;
}

int main(void) {
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  run_two(first, second);
  printf("%d %d\n", shared, held);
  pthread_spin_destroy(&spin);
}
