// NATIVE: native/static_pool.c
// LIBS: -lpthread
// A thread pool that was not recorded and has all its state in static variables: two of its callbacks write the same variable at the same time.
#include "test.h"

void pool_start(void);
void pool_submit(void (*task)(void*), void* argument);
void pool_wait(void);
void pool_stop(void);

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
  pool_start();
  pool_submit(first, &one);
  pool_submit(second, &two);
  pool_wait();
  pool_stop();
  printf("%d\n", total);
}
