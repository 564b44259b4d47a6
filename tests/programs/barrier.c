// A thread reads its neighbour's result before the barrier.
#include "test.h"

pthread_barrier_t barrier;
int cells[2] = {1, 2};
int serial[2];

THREAD(first) {
  cells[0] = 10;  // RACE(a)
  order_wait();
  serial[0] = pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
  return NULL;
}

THREAD(second) {
  order_wait();
  cells[1] = cells[0];  // RACE(a)
  serial[1] = pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
  return NULL;
}

int main(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  run_two(first, second);
  printf("%d %d %d\n", cells[0], cells[1], serial[0] + serial[1]);
  pthread_barrier_destroy(&barrier);
}
