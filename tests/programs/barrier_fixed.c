// Threads read one another's results after the barrier, over several rounds.
// NORACE
#include "test.h"

pthread_barrier_t barrier;
int cells[2] = {1, 2};
int serial[2];

NOINLINE static void rounds(int me) {
  for (int round = 0; round < 3; round++) {
    int next = cells[0] + cells[1];
    pthread_barrier_wait(&barrier);
    cells[me] = next + me;
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) serial[me]++;
  }
}

THREAD(first) {
  rounds(0);
  return NULL;
}

THREAD(second) {
  rounds(1);
  return NULL;
}

int main(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  run_two(first, second);
  printf("%d %d %d\n", cells[0], cells[1], serial[0] + serial[1]);
  pthread_barrier_destroy(&barrier);
}
