// NATIVE: native/atomic_pool.c
// LIBS: -lpthread
// A thread pool that was not recorded, synchronised by atomics: callbacks write what is theirs, the next ones what
// these had, and main reads all of it when it has waited.
// NORACE
#include "test.h"

struct pool;
struct pool* pool_new(void);
void pool_submit(struct pool* pool, void (*task)(void*), void* argument);
void pool_wait(struct pool* pool);
void pool_free(struct pool* pool);

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
  struct pool* pool = pool_new();
  for (int round = 1; round <= 2; round++) {
    for (int i = 0; i < 8; i++) {
      parts[i].input = i;
      pool_submit(pool, compute, &parts[i]);
    }
    pool_wait(pool);
    for (int i = 0; i < 8; i++) sum += parts[i].result;
  }
  struct part* last = calloc(1, sizeof(struct part));
  last->input = 5;
  pool_submit(pool, compute, last);
  pool_wait(pool);
  sum += last->result;
  free(last);
  pool_free(pool);
  printf("%d\n", sum);
}
