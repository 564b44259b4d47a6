// NATIVE: native/static_pool.c
// LIBS: -lpthread
// A thread pool that was not recorded and has all its state in static variables: callbacks write what is theirs, the next ones what
// these had, and main reads all of it when it has waited.
// NORACE
#include "test.h"

void pool_start(void);
void pool_submit(void (*task)(void*), void* argument);
void pool_wait(void);
void pool_stop(void);

struct part {
  int input, result;
};
struct part parts[8];

static void compute(void* argument) {
  struct part* part = argument;
  part->result += part->input * 2;
}

int main(void) {
  int sum = 0;
  pool_start();
  for (int round = 1; round <= 2; round++) {
    for (int i = 0; i < 8; i++) {
      parts[i].input = i;
      pool_submit(compute, &parts[i]);
    }
    pool_wait();
    for (int i = 0; i < 8; i++) sum += parts[i].result;
  }
  struct part* last = calloc(1, sizeof(struct part));
  last->input = 5;
  pool_submit(compute, last);
  pool_wait();
  sum += last->result;
  free(last);
  pool_stop();
  printf("%d\n", sum);
}
