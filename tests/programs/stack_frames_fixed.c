// Frames of one thread reuse the same stack addresses for locals that other threads may know: new lives.
// NORACE
#include "test.h"

int* published;
int seen;

NOINLINE static void publish(int number) {
  int local = number;
  lock();
  published = &local;
  unlock();
  order_wait();
  order_wait();
}

NOINLINE static int scratch(int number) {
  int locals[4] = {number, number, number, number};
  int* volatile escaped = locals;
  escaped[2]++;
  return locals[2];
}

THREAD(owner) {
  publish(1);
  seen += scratch(2);
  return NULL;
}

THREAD(user) {
  order_wait();
  lock();
  *published += 1;
  unlock();
  order_wait();
  return NULL;
}

int main(void) {
  run_two(owner, user);
  printf("%d\n", seen);
}
