// NATIVE: native/lazy_pool.c
// LIBS: -lpthread
// A library that was not recorded makes its threads when it is called for the first time: two of its callbacks write the
// same variable at the same time.
#include "test.h"

struct job* run_later(void (*task)(void*), void* argument);
void wait_for(struct job* job);

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
  struct job* a = run_later(first, &one);
  struct job* b = run_later(second, &two);
  wait_for(a);
  wait_for(b);
  printf("%d\n", total);
}
