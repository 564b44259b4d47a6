// A freed block is still written by its former owner's thread while another thread uses the memory it shared.
#include "test.h"

int* published;
int sum;

THREAD(first) {
  int* block = malloc(40);
  lock();
  published = block;
  unlock();
  block[3] = 1;  // RACE(a)
  order_wait();
  order_wait();
  free(block);  // FREED(b)
  return NULL;
}

THREAD(second) {
  order_wait();
  lock();
  int* block = published;
  unlock();
  block[3] += 2;  // RACE(a) FREED(b)
  order_wait();
  sum = 3;
  return NULL;
}

int main(void) {
  run_two(first, second);
  printf("%d\n", sum);
}
