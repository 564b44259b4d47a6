// NATIVE: native/atomic_pool.c
// LIBS: -lpthread
// A thread pool that was not recorded, synchronised by atomics: two of its callbacks write the same variable at the same time.
#include "test.h"

struct pool;
struct pool* pool_new(void);
void pool_submit(struct pool* pool, void (*task)(void*), void* argument);
void pool_wait(struct pool* pool);
void pool_free(struct pool* pool);

int total;

static void first(void* argument) {
  total += *(int*)argument;  // RACE(a)
  order_wait();
}

static void second(void* argument) {
  const int number = *(int*)argument;
  order_wait();
  total += number;  // RACE(a)
}

int main(void) {
  int one = 1, two = 2;
  order_init(2);
  struct pool* pool = pool_new();
  pool_submit(pool, first, &one);
  pool_submit(pool, second, &two);
  pool_wait(pool);
  pool_free(pool);
  printf("%d\n", total);
}
