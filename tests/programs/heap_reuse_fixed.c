// malloc gives one thread the block that another freed: two lives of one address.
// NORACE
#include "test.h"

int* published;
int sum;

NOINLINE static int use(int start) {
  int* block = malloc(40);
  for (int i = 0; i < 10; i++) block[i] = start + i;
  int total = block[0] + block[9];
  free(block);
  return total;
}

THREAD(first) {
  int total = use(1);
  order_wait();
  order_wait();
  lock();
  sum += total;
  unlock();
  return NULL;
}

THREAD(second) {
  order_wait();
  int total = use(2);
  order_wait();
  lock();
  sum += total;
  unlock();
  return NULL;
}

int main(void) {
  run_two(first, second);
  printf("%d\n", sum);
}
